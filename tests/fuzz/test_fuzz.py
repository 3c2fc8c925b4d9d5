"""The fuzzer's CI profile: 1,200 fixed programs, Python == nest == emulated HIP; 800 more in the slow one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.fuzz.__main__ import UNIT, failure, summary, unit
from tests.fuzz.check import Outcome
from tests.fuzz.counts import PROPERTY, counted
from tests.fuzz.generate import Program, program

PROGRAMS, MORE = 1200, 2000
CHUNK = 100
CHUNKS = [n if n < PROGRAMS else pytest.param(n, marks=pytest.mark.slow) for n in range(0, MORE, CHUNK)]
MOST_REFUSED = 0.15
"""The share of a chunk that may be refused, for whatever good reason: more would test little."""
MOST_IDLE = 0.02
"""The share of a chunk whose results may be, by chance, what the arrays held before: `t[i] = min(0, u8) * s`."""
LEAST = 21
"""In how many of the programs each feature is used, at least. The long profile must run 500 in 20,000; a few are
refused, and counts of 1,200 scatter by a quarter."""
FEATURES = 249
"""How many features there are at least: one that no program has any more is told by nothing else."""


@pytest.mark.parametrize("first", CHUNKS)
def test_programs(first: int, record_property: Callable[[str, object], None]) -> None:
    outcomes = [o for start in range(first, first + CHUNK, UNIT) for o in unit(start)]
    record_property(PROPERTY, counted(outcomes))
    failed = [o for o in outcomes if o.verdict == "failed"]
    assert not failed, f"{len(failed)} failed; the first of them:\n{failure(failed[0])}"
    refused = sum(o.verdict == "refused" for o in outcomes)
    assert refused <= MOST_REFUSED * CHUNK, summary(outcomes)
    assert sum(o.raised for o in outcomes) <= 0.2 * sum(o.cases for o in outcomes), "Python raises too often"
    idle = [o.program.text for o in outcomes if o.verdict == "good" and not (o.written and o.checked)]
    assert len(idle) <= MOST_IDLE * CHUNK, f"{len(idle)} programs change nothing; the first of them:\n{idle[0]}"


def test_each_feature_is_used() -> None:
    features = Counter(f for seed in range(PROGRAMS) for f in program(seed).features)
    few = {f: n for f, n in features.items() if n < LEAST}
    assert not few and len(features) >= FEATURES


def test_the_summary_tells_what_is_rare() -> None:
    outcomes = [
        Outcome(Program(k, f"f{k}", "", frozenset({"often", *(("seldom",) * (k < 2))})), "good") for k in range(119)
    ]
    refused = Outcome(Program(119, "f119", "", frozenset({"refused alone", "seldom"})), "refused", "TL402")
    assert summary(outcomes).endswith("rare (in fewer than 2.975 programs that ran): seldom 2")
    told = "rare (in fewer than 3 programs that ran): refused alone 0, seldom 2"
    assert summary([*outcomes, refused]).endswith(told)
    assert summary(outcomes[:80]).endswith("rare (in fewer than 2 programs that ran): none")


def test_a_seed_gives_one_program() -> None:
    assert all(program(seed) == program(seed) for seed in range(50))
    assert len({program(seed).text.partition("\n")[2] for seed in range(50)}) == 50
