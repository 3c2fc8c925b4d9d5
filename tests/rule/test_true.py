"""What rules say of a program is true: programs rewritten by it give the same numbers.

Random loop nests are run as they are, with every expression replaced by the term that the view has for it, and
with every recognised reduction taken out of its loops and done by itself right after them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from tests.rule.helpers import nest_of_text
from tl2hip.nest.ir import AxisRef, Binary, Expr, If, Loop, Nest, Set, Stmt, Store, Update, Var
from tl2hip.nest.run import run
from tl2hip.nest.walk import all_parts, blocks, map_stmt_exprs, substitute, with_blocks
from tl2hip.rule import load_rules
from tl2hip.rule.fits import Match
from tl2hip.rule.match import _Matcher
from tl2hip.rule.recognise import fit
from tl2hip.rule.sites import Site, View
from tl2hip.rule.view import _Memory, _Walk, view

SEEDS = range(150)
SIZE = 3

LOADS = ("A[i, k]", "A[k, i]", "B[k, j]", "B[j, k]", "v[k]", "v[i]", "A[i, j]", "C[i, j]", "D[i, k]", "D[i, j]")
HEAD = """
@kernel
def program(
    alpha: f64, A: Tensor[f64, N, N], B: Tensor[f64, N, N], C: Tensor[f64, N, N], D: Tensor[f64, N, N],
    E: Tensor[f64, N, N], v: Tensor[f64, N], w: Tensor[f64, N],
) -> None:
"""


class Writer:
    """Writes a kernel of a few loops over square arrays: sums, stores, temporaries, tests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.axes = self.random.sample("ijk", 3)
        self.lines: list[str] = []

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    def term(self, axes: list[str]) -> str:
        fitting = [e for e in LOADS if set(e[2:-1].split(", ")) <= set(axes)]
        a, b = self.random.choice(fitting), self.random.choice(fitting)
        return self.random.choice([f"{a} * {b}", f"{b} * {a} * alpha", f"{a} + {b}", a, f"max({a}, {b})"])

    def store(self) -> None:
        """Maybe a store beside the sum, to elements that the sum may read."""
        if self.chance(0.3):
            index = self.random.choice(["i, k", "i, j", f"{self.axes[0]}, {self.axes[2]}"])
            self.line(3, f"D[{index}] = {self.term(self.axes)}")

    def text(self) -> str:
        first, second, inner = self.axes
        if self.chance(0.4):
            self.lines += ["    for i in range(N):", "        for j in range(N):", "            C[i, j] = 0"]
        sizes = ["N", "N", "N", f"{first} + 1"]
        style = self.random.choice(["array", "scalar", "row"])
        self.line(0, f"for {first} in range(N):")
        self.line(1, f"for {second} in range({self.random.choice(sizes)}):")
        if style == "scalar":
            self.line(2, f"s = {self.random.choice(['alpha', 'f64(0)', f'w[{first}]'])}")
        factor = " * t" if self.chance(0.3) else ""
        if factor:
            self.line(2, f"t = {self.term([first, second]) if 'j' in (first, second) else 'alpha'}")
        self.line(2, f"for {inner} in range({self.random.choice(sizes)}):")
        self.store()
        self.store()
        self.sum(style, f"({self.term(self.axes)}){factor}")
        self.store()
        if style == "scalar":
            self.line(2, f"E[{first}, {second}] = s")
        return HEAD + "\n".join(self.lines) + "\n"

    def sum(self, style: str, value: str) -> None:
        depth = 3
        if self.chance(0.25):
            test = f"{self.random.choice(self.axes)} {self.random.choice('<>')}"
            self.line(3, f"if {test} {self.random.choice(['1', *self.axes])}:")
            depth = 4
        target = {"array": "C[i, j]", "scalar": "s", "row": "w[i]"}[style]
        most = self.chance(0.25)
        self.line(depth, f"{target} = max({target}, {value})" if most else f"{target} = {target} + {value}")


def program(seed: int) -> str:
    return Writer(seed).text()


def numbers(nest: Nest) -> dict[str, bytes]:
    r = np.random.default_rng(7)
    arrays = {a.name: r.integers(-3, 4, (SIZE,) * len(a.shape)).astype(np.float64) for a in nest.arrays}
    found = run(nest, arrays, {"alpha": 2.0}, {"N": SIZE})
    return {name: (x + 0.0).tobytes() for name, x in found.items()}


def rewritten(body: tuple[Stmt, ...], old: Stmt, new: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A body with one statement, told by identity, replaced by others."""
    out: list[Stmt] = []
    for s in body:
        if s is old:
            out += new
        else:
            inner = tuple(rewritten(b, old, new) for b in blocks(s))
            same = all(a is b for a, b in zip(inner, blocks(s), strict=True))
            out.append(s if same else with_blocks(s, inner))
    return tuple(out)


def plain(*exprs: Expr) -> bool:
    """Whether expressions read no local whose value the view does not know."""
    return not any(isinstance(p, Var) for e in exprs for p in all_parts(e))


def with_value(site: Site, value: Expr) -> Stmt:
    """The statement of a site, its value the view's term (of a reduction: one more term)."""
    s = site.stmt
    assert s is not None
    if isinstance(s, Set):
        return replace(s, value=Binary(site.op, Var(s.name, s.value.dtype), value))
    if isinstance(s, Update) and not site.op:
        return Store(s.array, s.index, value, s.proven)
    return replace(s, value=value)


@lru_cache(None)
def nest_and_numbers(seed: int) -> tuple[Nest, dict[str, bytes]]:
    nest = nest_of_text(program(seed))
    return nest, numbers(nest)


def test_terms_are_what_they_stand_for() -> None:
    compared = 0
    for seed in SEEDS:
        nest, expected = nest_and_numbers(seed)
        seen = view(nest)
        for site in seen.sites:
            assert site.stmt is not None
            if site.fault or not plain(site.value):
                continue
            body = rewritten(nest.body, site.stmt, (with_value(site, site.value),))
            assert numbers(replace(nest, body=body)) == expected, (seed, site)
            compared += 1
    assert compared > len(SEEDS)


def apart(nest: Nest, m: Match) -> Nest:
    """The nest with a recognised reduction taken out of its loops and done by itself right after them."""
    site = m.site
    around = site.loops[site.depth :]
    statement = with_value(site, site.value)
    for test in reversed(site.where):
        statement = If(test, (statement,))
    names = {a.axis: f"{a.axis}_apart" for a in around}
    for a in reversed(around):
        assert isinstance(a.loop, Loop)
        axis = replace(a.loop.axis, start=a.bounds[0], stop=a.bounds[1])
        statement = Loop(axis, (statement,))
    outer = around[0].loop
    assert site.stmt is not None
    emptied = rewritten((outer,), site.stmt, ())
    return replace(nest, body=renamed(rewritten(nest.body, outer, (*emptied, statement)), statement, names))


def renamed(body: tuple[Stmt, ...], inside: Stmt, names: dict[str, str]) -> tuple[Stmt, ...]:
    """A body in which the axes of one statement have other names."""
    axes: dict[Expr, Expr] = {AxisRef(old): AxisRef(new) for old, new in names.items()}

    def other(s: Stmt) -> Stmt:
        if isinstance(s, Loop):
            axis = replace(s.axis, name=names[s.axis.name])
            s = replace(s, axis=axis)
        return with_blocks(s, tuple(tuple(map(other, b)) for b in blocks(s)))

    return rewritten(body, inside, (map_stmt_exprs(lambda e: substitute(e, axes), other(inside)),))


def matches(seen: View) -> Iterator[tuple[str, Match]]:
    for r in load_rules():
        for site in seen.sites:
            found, _ = fit(r, seen, site)
            if found is not None:
                yield r.name, found


def test_reductions_stand_alone() -> None:
    compared: Counter[str] = Counter()
    for seed in SEEDS:
        nest, expected = nest_and_numbers(seed)
        seen = view(nest)
        for name, m in matches(seen):
            exprs = (m.site.value, *m.site.where, *(b for a in m.site.loops for b in a.bounds))
            if m.site.op and plain(*exprs):
                assert numbers(apart(nest, m)) == expected, (seed, name, program(seed))
                compared[name] += 1
    assert compared["contraction"] >= 15
    assert compared["row_reduction"] >= 50


def test_the_axes_of_a_factor_are_its_own() -> None:
    for seed in SEEDS:
        seen = view(nest_and_numbers(seed)[0])
        for name, m in matches(seen):
            taken = {axis for axes in m.bound.values() for axis in axes}
            for c in m.state.holes.values():
                given = {axis for arg in c.args for axis in (*m.axes(arg), *m.state.loops.get(arg, ()))}
                free = seen.axes_of(c.expr, c.site.loops) & taken
                assert not c.args or free <= given, (seed, name)


def test_stale_elements_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Memory, "forget", lambda *_: None)
    with pytest.raises(AssertionError):
        test_terms_are_what_they_stand_for()


def test_stale_temporaries_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Walk, "settle", lambda *_: None)
    with pytest.raises(AssertionError):
        test_terms_are_what_they_stand_for()


def test_terms_that_read_what_is_written_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Matcher, "written", lambda *_: "")
    with pytest.raises(AssertionError):
        test_reductions_stand_alone()
