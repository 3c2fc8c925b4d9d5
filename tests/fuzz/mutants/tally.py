"""Counts of what became of mutants: by verdict, by kind of change, by node type of Python."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fuzz.mutants.judge import Verdict

MODES = {"Module", "Interactive", "Expression"}
"""The node types that are whole files, not constructs in them."""
VERDICTS = ("converted", "refused", "failed")


def node_types() -> frozenset[str]:
    """Every construct of the running Python by its node type: the classes of `ast` that its parser makes."""
    every = {k for k in vars(ast).values() if isinstance(k, type) and issubclass(k, ast.AST)}
    made = {k for k in every if not any(b.__name__ not in OLD for b in k.__subclasses__())}
    return frozenset(k.__name__ for k in made) - OLD - MODES


OLD = {
    *("Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "slice"),
    *("Suite", "AugLoad", "AugStore", "Param"),
}
"""Node types of former Pythons, which no parser makes any more; the running one may still know their names."""


@dataclass(slots=True)
class Tally:
    """Counts over mutants. `nodes` and `kinds` count (name, verdict); `failures` keeps what is told of each."""

    verdicts: Counter[str] = field(default_factory=Counter)
    sorts: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    nodes: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    cases: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def take(self, v: Verdict) -> None:
        """Counts one mutant."""
        m = v.mutant
        self.verdicts[v.verdict] += 1
        self.codes.update(v.codes if v.verdict == "refused" else ())
        self.nodes.update((n, v.verdict) for n in m.nodes)
        self.kinds[m.kind, v.verdict] += 1
        found = v.compared
        self.cases["beside Python"] += found.compared
        self.cases["on the emulated compute unit"] += found.launched
        self.cases["in which Python raised"] += found.raised
        self.cases["given up as too long or too large"] += found.given_up
        self.cases["in which Python's integers left 64 bits"] += found.past_i64
        self.cases["mutants that were launched"] += bool(found.launched)
        self.cases["mutants that compute something else than before"] += found.changed
        if v.verdict == "failed":
            self.sorts[v.sort] += 1
            self.failures.append(f"seed {m.seed}, {m.base.name}, {m.kind} ({m.what}): {v.sort}: {v.told}")

    def add(self, other: Tally) -> None:
        """Counts what another tally has counted."""
        for name in ("verdicts", "sorts", "codes", "nodes", "kinds", "cases"):
            getattr(self, name).update(getattr(other, name))
        self.failures += other.failures

    def properties(self) -> dict[str, int]:
        """Totals and node types as the tests' summary takes them."""
        totals = {f"={v}": n for v, n in (*self.verdicts.items(), *self.cases.items())}
        nodes: Counter[str] = Counter()
        for (name, _), n in self.nodes.items():
            nodes[name] += n
        return {**totals, **nodes}

    def lines(self) -> Iterator[str]:
        """The counts as text: totals, then every node type of Python, then every kind of change."""
        yield ", ".join(f"{self.verdicts[v]} {v}" for v in VERDICTS)
        yield "cases: " + ", ".join(f"{n} {name}" for name, n in sorted(self.cases.items()))
        yield "refused with: " + ", ".join(f"{c} {n}" for c, n in self.codes.most_common())
        if self.sorts:
            yield "failed: " + ", ".join(f"{s} {n}" for s, n in self.sorts.most_common())
        every = node_types()
        met = {n for n, _ in self.nodes}
        yield f"node types of Python: {len(every & met)} of {len(every)}"
        yield from (f"  never met: {n}" for n in sorted(every - met))
        yield from _table(self.nodes)
        yield f"kinds of change: {len({k for k, _ in self.kinds})}"
        yield from _table(self.kinds)


def _table(counts: Counter[tuple[str, str]]) -> Iterator[str]:
    yield "  ".join(f"{v:>9}" for v in VERDICTS)
    for name in sorted({n for n, _ in counts}):
        yield "  ".join([*(f"{counts[name, v]:9}" for v in VERDICTS), name])
