"""The long profile: `python -m tests.fuzz mutants --count 50000 --jobs 2`; `--one SEED` shows a mutant.

A run is told seed by seed where it stands: `--seed N` goes on from there.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from tests.fuzz.mutants.judge import Verdict, commanded, judge
from tests.fuzz.mutants.make import mutant
from tests.fuzz.mutants.tally import Tally

UNIT = 100
"""Mutants that a worker takes at a time."""
COMMANDED = 20
"""Each how-many-th mutant also goes through the command line."""


def unit(first: int, last: int, launch: bool = True) -> Tally:
    """The tally of the mutants of seeds `first` to before `last`."""
    tally = Tally()
    for seed in range(first, last):
        tally.take(tried(seed, launch))
    return tally


def tried(seed: int, launch: bool = True) -> Verdict:
    """What became of the mutant of a seed."""
    found = judge(mutant(seed), launch=launch)
    if found.verdict != "failed" and seed % COMMANDED == 0:
        wrong = next(commanded(found.mutant, found), "")
        if wrong:
            return Verdict(found.mutant, "failed", found.codes, "command", wrong)
    return found


def shown(seed: int) -> Iterator[str]:
    """A mutant as the lines that differ, and what became of it."""
    found = tried(seed)
    m = found.mutant
    yield f"seed {seed}, {m.base.name}, {m.kind}: {m.what}"
    yield from difflib.unified_diff(m.base.text.split("\n"), m.text.split("\n"), lineterm="")
    yield " ".join([found.verdict, found.sort, *found.codes]).strip()
    yield found.told or f"{found.compared}"


def main(arguments: Sequence[str]) -> int:
    """Runs what was asked for; 1 where a mutant failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="the first mutant's")
    parser.add_argument("--one", type=int, help="show the mutant of this seed")
    parser.add_argument("--no-launch", action="store_true", help="compare nests with Python, run no HIP")
    given = parser.parse_args(arguments)
    if given.one is not None:
        print("\n".join(shown(given.one)))
        return 0
    last = given.seed + given.count
    starts = range(given.seed, last, UNIT)
    ends = [min(last, s + UNIT) for s in starts]
    whole, begun = Tally(), time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        for end, part in zip(ends, pool.map(unit, starts, ends, [not given.no_launch] * len(ends)), strict=True):
            whole.add(part)
            print(*part.failures, sep="\n", end="\n" if part.failures else "", flush=True)
            print(f"{time.monotonic() - begun:6.0f} s, up to seed {end}", file=sys.stderr, flush=True)
    print("\n".join(whole.lines()))
    return int(bool(whole.failures))
