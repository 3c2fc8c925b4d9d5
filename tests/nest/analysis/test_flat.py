"""One loop over all elements of several dimensions: quotient and remainder by an extent are apart together."""

from __future__ import annotations

import pytest

from tests.nest.analysis.helpers import make
from tl2hip.nest.analysis.affine import Symbol, add, number, of, times
from tl2hip.nest.analysis.facts import Facts, Meaning, Prover
from tl2hip.nest.dependence import analyse


def kind(statement: str, stop: str = "m * n") -> str:
    arrays = "array a[m, n]\narray b[n, m]\narray x[m, n]\n"
    return analyse(make(f"{arrays}for t in range({stop}):\n    {statement}")).kind("t")


@pytest.mark.parametrize(
    "statement",
    [
        "a[t // n, t % n] = 1",
        "a[t // n, t % n] = a[t // n, t % n] * 2",
        "b[t % n, t // n] = x[t // n, t % n]",
    ],
)
def test_quotient_and_remainder_are_one_element(statement: str) -> None:
    assert kind(statement) == "parallel"


@pytest.mark.parametrize(
    "statement",
    [
        "a[t // n, t // n] = 1",
        "a[t // n, t % m] = 1",
        "a[t // n, 0] = 1",
        "a[t // n, t % n] = a[(t + 1) // n, (t + 1) % n]",
        "a[t // n, t % n % 2] = 1",
    ],
)
def test_others_may_be_one_of_several(statement: str) -> None:
    assert kind(statement) == "serial"


def test_without_a_product_the_extent_may_be_0() -> None:
    """By 0, all quotients and remainders are 0."""
    assert kind("a[t // n, t % n] = 1", stop="m") == "serial"


def test_the_factors_of_a_product_that_is_not_0() -> None:
    m, n, i = (Symbol("dim", c) for c in "mni")
    meanings = {m: Meaning(0, frozenset(), nonneg=True), n: Meaning(1, frozenset(), nonneg=True)}
    meanings[i] = Meaning(2, frozenset())
    for product, follows in ((times(of(m), of(n)), True), (times(of(m), of(i)), False)):
        prover = Prover(meanings)
        known = prover.closed((add(product, number(-1)),), Facts())
        assert prover.positive(of(m), known) == follows
        assert not prover.positive(of(m), prover.closed((product,), Facts()))
