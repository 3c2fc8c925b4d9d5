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


def test_a_case_that_takes_too_long_is_counted() -> None:
    endless = HALVES.replace("x[i] // 2", "abs(x[i])")
    found = {}
    for text in (HALVES, endless):
        base = Base("halves", "halves", text)
        verdict = judge(Mutant(0, base, text, "nothing", "", frozenset(), (1, 1), inside=False), launch=False)
        assert verdict.verdict == "converted", verdict.told
        tally = Tally()
        tally.take(verdict)
        found[text] = tally.cases["beside Python"], tally.cases["given up as too long"]
        assert any("given up as too long" in line for line in tally.lines())
    assert found[HALVES][1] == 0 and found[endless][1] > 0
    assert sum(found[endless]) == sum(found[HALVES])


def test_a_seed_gives_one_mutant() -> None:
    assert all(mutant(seed) == mutant(seed) for seed in range(20))
    assert len({mutant(seed).text for seed in range(60)}) > 55
