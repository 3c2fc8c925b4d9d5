"""Counts of what the fuzzer ran, from all workers of a test run, printed at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fuzz.check import Outcome

PROPERTY = "programs of the fuzzer"
MUTANTS = "mutants of the fuzzer"


def counted(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Programs by verdict, refusals by code, cases, elements, and features of the programs that ran."""
    counts: Counter[str] = Counter()
    for o in outcomes:
        counts[f"={o.verdict}"] += 1
        counts["=cases"] += o.cases
        counts["=cases in which Python raised"] += o.raised
        counts["=elements checked"] += o.checked
        counts["=elements undecided"] += o.undecided
        if o.verdict == "refused":
            counts[f"=refused with {o.code}"] += 1
        else:
            counts.update(o.program.features)
    return dict(counts)


def lines(counts: Counter[str]) -> Iterator[str]:
    """The counts as a few lines of text: totals, then features from the most used one."""
    totals = sorted((name[1:], n) for name, n in counts.items() if name.startswith("="))
    yield "; ".join(f"{n} {name}" for name, n in totals)
    features = sorted(((n, name) for name, n in counts.items() if not name.startswith("=")), reverse=True)
    yield ", ".join(f"{name} {n}" for n, name in features)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the counts where the fuzzer's tests ran."""
    counts: dict[str, Counter[str]] = {PROPERTY: Counter(), MUTANTS: Counter()}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name in counts and getattr(report, "when", "") == "call":
                    counts[name].update(value)
    for title, found in counts.items():
        if found:
            terminalreporter.section(title)
            for line in lines(found):
                terminalreporter.line(line)
