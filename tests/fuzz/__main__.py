"""The long profile: `python -m tests.fuzz --programs 20000 --jobs 2 --seed 0`; `--one SEED` replays a program.

`python -m tests.fuzz mutants` changes the kernels of this repository instead.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations

from tests.fuzz.check import Outcome, check
from tests.fuzz.generate import HEAD, program
from tests.fuzz.mutants.command import main as mutants
from tests.fuzz.shrink import shrunk

UNIT = 25
"""Programs to a translation unit."""
RARE = 40
"""A feature is rare where fewer than one in so many programs ran with it: 500 of 20,000."""
DETECT = 8
"""Each how-many-th unit runs with the detectors."""


def unit(first: int) -> list[Outcome]:
    """The outcomes of the unit that starts at a seed."""
    return check([program(seed) for seed in range(first, first + UNIT)], detect=first // UNIT % DETECT == 0)


def summary(outcomes: Iterable[Outcome], shown: int | None = 20) -> str:
    """Counts of verdicts, of refusals by code, and of features and pairs of them (as many as are `shown`, None for
    all) among the programs that were run; at last the features that came rarely."""
    outcomes = list(outcomes)
    verdicts = Counter(o.verdict for o in outcomes)
    refusals = Counter(o.code for o in outcomes if o.verdict == "refused")
    ran = [o for o in outcomes if o.verdict != "refused"]
    features = Counter(f for o in ran for f in o.program.features)
    pairs = Counter(p for o in ran for p in combinations(sorted(o.program.features), 2))
    checked, undecided, raised, cases = (
        sum(getattr(o, n) for o in ran) for n in ("checked", "undecided", "raised", "cases")
    )
    lines = [
        ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())),
        f"{cases} cases, in {raised} Python raised; {checked} elements checked, {undecided} undecided",
        "refused: " + (", ".join(f"{c} {n}" for c, n in sorted(refusals.items())) or "none"),
        *(f"{n:6}  {f}" for f, n in sorted(features.items(), key=lambda item: (-item[1], item[0]))),
        f"{len(pairs)} of {len(features) * (len(features) - 1) // 2} pairs of features; the most frequent:",
        *(f"{n:6}  {a} + {b}" for (a, b), n in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:shown]),
        rare(outcomes),
    ]
    return "\n".join(lines)


def rare(outcomes: Iterable[Outcome]) -> str:
    """Which features of these programs ran too seldom; those of refused programs alone ran never."""
    outcomes = list(outcomes)
    least = len(outcomes) / RARE
    ran = Counter(f for o in outcomes if o.verdict != "refused" for f in o.program.features)
    few = sorted((ran[f], f) for f in {f for o in outcomes for f in o.program.features} if ran[f] < least)
    return f"rare (in fewer than {least:g} programs that ran): " + (", ".join(f"{f} {n}" for n, f in few) or "none")


def failure(o: Outcome, shrink: bool = True) -> str:
    """A failing program, what was told of it, and its shrunk form."""
    lines = [f"seed {o.program.seed} ({o.code or 'no code'})", o.told, "", o.program.text]
    if shrink:
        small = shrunk(o)
        lines += ["shrunk:", small.told, "", small.program.text]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Runs what was asked for; 1 where a program failed."""
    if arguments[:1] == ["mutants"]:
        return mutants(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="the first program's")
    parser.add_argument("--one", type=int, help="replay the program of this seed")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--pairs", action="store_true", help="count every pair of features in the summary")
    given = parser.parse_args(arguments)
    if given.one is not None:
        (o,) = check([program(given.one)], detect=True)
        print(HEAD + "\n\n" + o.program.text)
        print(o.verdict, o.code, o.told)
        if o.verdict == "failed":
            print(failure(o))
        return int(o.verdict == "failed")
    outcomes: list[Outcome] = []
    starts = range(given.seed, given.seed + given.programs, UNIT)
    with ProcessPoolExecutor(given.jobs) as pool:
        for found in pool.map(unit, starts):
            outcomes += found
            for o in found:
                if o.verdict == "failed":
                    print(failure(o, not given.no_shrink), "\n" + "-" * 80, flush=True)
    print(summary(outcomes, None if given.pairs else 20))
    return int(any(o.verdict == "failed" for o in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
