"""The mutants' CI profile: every way to change a kernel, once; each is converted and right, or refused in place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fuzz.counts import MUTANTS
from tests.fuzz.mutants.changes import BROUGHT
from tests.fuzz.mutants.command import unit
from tests.fuzz.mutants.corpus import Base
from tests.fuzz.mutants.edits import nodes_of
from tests.fuzz.mutants.expressions import EXPRESSIONS
from tests.fuzz.mutants.judge import judge
from tests.fuzz.mutants.make import KINDS, Mutant, mutant
from tests.fuzz.mutants.statements import STATEMENTS
from tests.fuzz.mutants.tally import Tally, node_types

CHUNK = 61


@pytest.mark.parametrize("first", range(0, len(KINDS), CHUNK))
def test_mutants(first: int, record_property: Callable[[str, object], None]) -> None:
    tally = unit(first, min(first + CHUNK, len(KINDS)))
    record_property(MUTANTS, tally.properties())
    assert not tally.failures, "\n".join(tally.failures)


def test_every_construct_of_python_is_put_in() -> None:
    brought = {n for _, text in STATEMENTS for n in nodes_of(text, "exec")}
    brought |= {n for _, text in EXPRESSIONS for n in nodes_of(text, "eval")}
    brought |= {n for names in BROUGHT.values() for n in names}
    assert node_types() - brought == set()
    assert len(node_types()) > 100


HALVES = """
from tl2hip import Tensor, dims, i32, kernel
N = dims("N")

@kernel
def halves(x: Tensor[i32, N]) -> None:
    while x[0] > 0:
        for i in range(N):
            x[i] = x[i] // 2
"""


def cases(name: str, text: str) -> tuple[int, int, int]:
    """How many cases of a kernel were compared, raised, and given up."""
    base = Base(name, name, text)
    verdict = judge(Mutant(0, base, text, "nothing", "", frozenset(), (1, 1), inside=False), launch=False)
    assert verdict.verdict == "converted", verdict.told
    tally = Tally()
    tally.take(verdict)
    told = ("beside Python", "in which Python raised", "given up as too long or too large")
    assert all(any(t in line for line in tally.lines()) for t in told)
    return tally.cases[told[0]], tally.cases[told[1]], tally.cases[told[2]]


def test_a_case_that_takes_too_long_is_counted() -> None:
    compared, _, none = cases("halves", HALVES)
    rest, _, given_up = cases("halves", HALVES.replace("x[i] // 2", "abs(x[i])"))
    assert none == 0 and given_up > 0
    assert rest + given_up == compared


ROWS = """
from tl2hip import Tensor, dims, f32, i32, kernel, offsets, strides
N, M = dims("N M")

@kernel
def rows(x: Tensor[f32, N, M, strides(M, 1)], y: Tensor[f32, N, M]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j] * 2
"""


def test_arrays_with_far_strides_have_shapes_that_memory_has_room_for() -> None:
    compared, _, given_up = cases("rows", ROWS.replace("strides(M, 1)", "strides(2147483648, 1)"))
    assert compared > 0 and given_up == 0


PIECES = """
from tl2hip import Tensor, dims, f32, i8, i32, kernel, offsets
T, B = dims("T B")

@kernel
def pieces(x: Tensor[f32, T], first: Tensor[i32, B + 1], y: Tensor[f32, T]) -> None:
    assert offsets(first)
    for b in range(B):
        for t in range(first[b], first[b + 1]):
            y[t] = x[t] * 2
"""


def test_a_case_that_the_own_assert_does_not_take_has_raised() -> None:
    compared, none, _ = cases("pieces", PIECES)
    rest, raised, _ = cases("pieces", PIECES.replace("[i32", "[i8"))  # holds no offsets above 127
    assert none == 0 and raised > 0
    assert rest + raised == compared


def test_a_seed_gives_one_mutant() -> None:
    assert all(mutant(seed) == mutant(seed) for seed in range(20))
    assert len({mutant(seed).text for seed in range(60)}) > 55
