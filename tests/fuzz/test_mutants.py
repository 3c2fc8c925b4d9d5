"""The mutants' CI profile: every way to change a kernel, once; each is converted and right, or refused in place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fuzz.counts import MUTANTS
from tests.fuzz.mutants.changes import BROUGHT
from tests.fuzz.mutants.command import unit
from tests.fuzz.mutants.edits import nodes_of
from tests.fuzz.mutants.expressions import EXPRESSIONS
from tests.fuzz.mutants.make import KINDS, mutant
from tests.fuzz.mutants.statements import STATEMENTS
from tests.fuzz.mutants.tally import node_types

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


def test_a_seed_gives_one_mutant() -> None:
    assert all(mutant(seed) == mutant(seed) for seed in range(20))
    assert len({mutant(seed).text for seed in range(60)}) > 55
