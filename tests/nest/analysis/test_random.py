"""Random small nests: the kinds against what happened when they ran, in order and out of order."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from tests.nest.analysis import oracle
from tests.nest.analysis.helpers import make
from tests.nest.analysis.programs import Writer
from tl2hip.nest.analysis.facts import Prover
from tl2hip.nest.analysis.integer import System
from tl2hip.nest.bounds import prove
from tl2hip.nest.dependence import AxisKind, analyse
from tl2hip.nest.ir import Expr, Load, Nest, Store, Update
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs

RANK = ("parallel", "reduce", "serial")


def data(nest: Nest, seed: int) -> dict[str, dict[tuple[int, ...], int]]:
    """Contents of the arrays: 0 everywhere, index arrays random and partly out of range."""
    pick = random.Random(seed)
    return {a.name: {(k,): pick.randint(-3, 9) for k in range(40)} if a.name == "idx" else {} for a in nest.arrays}


def happened(nest: Nest, seed: int, axis: str, sizes: list[dict[str, int]]) -> str:
    """The freest kind that all runs allow an axis."""
    found = "parallel"
    for one in sizes:
        run = oracle.Run(nest, one, arrays=data(nest, seed)).go()
        found = max(found, oracle.verdict(run, axis, frozenset()), key=RANK.index)
    return found


def claimed(kind: AxisKind) -> str:
    if any(c.what == "array" for c in kind.carried):
        return "serial"
    return "reduce" if kind.updates else "parallel"


def test_no_axis_is_called_freer_than_it_is() -> None:
    """And most axes that are free are found to be. What is missed here are mostly indices out of range or
    products of two extents that only a small size rules out."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(100):
        nest = make(Writer(seed).text())
        found = analyse(nest)
        sizes = list(oracle.sizes_of(nest, 8, random.Random(seed), 4))
        for axis, kind in found.kinds.items():
            truth, mine = happened(nest, seed, axis, sizes), claimed(kind)
            assert RANK.index(mine) >= RANK.index(truth), (seed, axis)
            counts[truth, mine] += 1
    assert counts["parallel", "parallel"] > 40
    assert counts["reduce", "reduce"] > 5


def test_free_axes_give_the_same_in_any_order() -> None:
    """Scalars too: what a loop sets is undefined at the start of each iteration, but for its reductions."""
    counts: Counter[str] = Counter()
    for seed in range(150):
        nest = make(Writer(seed, scalars=True).text())
        for axis, kind in analyse(nest).kinds.items():
            counts[kind.kind] += 1
            if kind.in_order:
                continue
            keep = {axis: tuple(v for r in kind.reductions for v in r.variables)}
            for sizes in ({"n": 5, "m": 6}, {"n": 7, "m": 3}):
                plain = oracle.Run(nest, sizes, arrays=data(nest, seed)).go()
                order = {axis: random.Random(seed)}
                mixed = oracle.Run(nest, sizes, arrays=data(nest, seed), order=order, keep=keep).go()
                assert plain.arrays == mixed.arrays, (seed, axis)
    assert counts["parallel"] > 30 and counts["reduce"] > 100


class Watched(oracle.Run):
    """A run that notes whether each access was always in range."""

    def element(self, array: str, index: tuple[Expr, ...]) -> tuple[int, ...] | None:
        raw = tuple(self.expr(e) for e in index)
        inside = all(0 <= i < n for i, n in zip(raw, self.shapes[array], strict=True))
        if not inside:
            self.out_of_range[id(index)] += 1
        self.reached.add(id(index))
        return super().element(array, index)


def accesses(nest: Nest) -> list[tuple[tuple[Expr, ...], bool]]:
    """Every access' index and whether it is proven."""
    out = []
    for s in all_stmts(nest.body):
        loads = [p for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Load)]
        out += [(p.index, p.proven) for p in loads]
        if isinstance(s, Store | Update):
            out.append((s.index, s.proven))
    return out


def test_every_proven_access_is_in_range() -> None:
    """And most of those that always are, in 36 pairs of sizes, are proven."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for seed in range(70):
        nest = prove(make(Writer(seed).text()))
        outside: Counter[int] = Counter()
        reached: set[int] = set()
        for n, m in itertools.product((0, 1, 2, 3, 5, 8), repeat=2):
            run = Watched(nest, {"n": n, "m": m}, arrays=data(nest, seed)).go()
            outside.update(run.out_of_range)
            reached |= run.reached
        for index, proven in accesses(nest):
            inside = not outside[id(index)]
            assert inside or not proven, seed
            if id(index) in reached:
                counts[inside, proven] += 1
    assert counts[True, True] > 3 * counts[True, False] > 0


def first_wrong_kind() -> int | None:
    """The first program of a few in which an axis is called freer than it is."""
    for seed in range(40):
        nest = make(Writer(seed).text())
        sizes = list(oracle.sizes_of(nest, 8, random.Random(seed), 4))
        for axis, kind in analyse(nest).kinds.items():
            if RANK.index(claimed(kind)) < RANK.index(happened(nest, seed, axis, sizes)):
                return seed
    return None


def test_the_oracle_finds_a_prover_that_believes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prover, "nonneg", lambda *_: True)
    assert first_wrong_kind() is not None


def test_the_oracle_finds_an_answer_of_islpy_turned_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(System, "value_of", lambda *_: (False, None))
    assert first_wrong_kind() is not None
