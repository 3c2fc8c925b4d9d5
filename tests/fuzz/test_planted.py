"""Faults planted in the compiler, one at a time: a few dozen of the fuzzer's programs find each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.fuzz.check import Outcome, check
from tests.fuzz.faults import FAULTS, Fault
from tests.fuzz.generate import Program, program

BATCH = 4
"""Programs to a translation unit."""
BATCHES = 30
"""Units that a fault has until it must be found."""
MOST = 12
"""Units of which most programs must find a fault that most find."""
SEEDS = 8000
"""The seeds that programs are taken from."""


def batches(planted: Fault) -> Iterator[list[Program]]:
    """Programs in which a fault could show, a unit at a time."""
    fitting = (p for p in map(program, range(SEEDS)) if p.features & planted.features)
    for _ in range(BATCHES):
        yield [next(fitting) for _ in range(BATCH)]


def first_failure(planted: Fault) -> Outcome | None:
    """The first program that gives a wrong value or a finding: one that a fault has refused shows nothing."""
    for batch in batches(planted):
        for o in check(batch, detect=planted.detect):
            if o.verdict == "failed" and o.code.startswith("TL7"):
                return o
    return None


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if not f.most])
def test_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name].plant(monkeypatch)
    found = first_failure(FAULTS[name])
    assert found is not None, f"{name}: not found in {BATCH * BATCHES} programs"


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if f.most])
def test_most_programs_find_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name].plant(monkeypatch)
    outcomes = [o for batch in islice(batches(FAULTS[name]), MOST) for o in check(batch)]
    accepted = sum(o.verdict != "refused" for o in outcomes)
    found = sum(o.code.startswith("TL7") for o in outcomes)
    assert accepted > 0.8 * len(outcomes), f"{accepted} of {len(outcomes)} are accepted"
    assert found > 0.5 * accepted, f"{found} of {accepted} find it"
