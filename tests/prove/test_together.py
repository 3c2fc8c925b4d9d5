"""Loops that take their turns side by side give what they give one after the other: values, bounds and doubts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from tests.fuzz.check import cases_of, unit_text
from tests.fuzz.generate import HEAD, program
from tests.nest.build.test_loops import over
from tl2hip import api
from tl2hip.nest.dependence import analyse
from tl2hip.nest.ir import Loop, Nest
from tl2hip.nest.run import counted, turns
from tl2hip.nest.run.machine import Machine
from tl2hip.nest.run.together import TogetherLoops
from tl2hip.nest.walk import all_stmts
from tl2hip.prove.bound import Reference, reference
from tl2hip.prove.draw import MODES, NoScalars, data
from tl2hip.source.span import Source

SERIAL, SIDE_BY_SIDE = "tl2hip.nest.run.turns.MANY", "tl2hip.nest.run.turns._tried"
ROWS = "x: Tensor[f32, M, N], y: Tensor[f32, M], i_: Tensor[i32, N]"
WHOLE = "for k in range(N):\n    y[0] += 1\n    n[0] = max(n[0], i_[k])"
BACK = "for i in range(M):\n    s = f32(0)\n    for j in range({start}, N):\n        x[i, j] = np.exp(x[i, j])\n"
BACK += "        s += {read}\n    y[i] = s"
SIZES = {"M": 3, "N": 19}
TRIED = ("normal", "integers", "large", "edges")

SUM = "s = f32(0)\n    for j in range({stop}):\n        {body}\n    y[i] = s"
"""A row's loop, and what its turns do."""


def rows(body: str, stop: str = "N") -> str:
    return over("for i in range(M):\n    " + SUM.format(body=body.replace("\n", "\n        "), stop=stop), ROWS)


KERNELS = {
    "sum": rows("s += x[i, j]"),
    "difference": rows("s = s - x[i, j]"),
    "two terms": rows("s = s + x[i, j] - x[i, 0]"),
    "product": rows("s = s * x[i, j]").replace("f32(0)", "f32(1)"),
    "product of sums": rows("t = f32(1)\nfor k in range(3):\n    t *= x[i, j] + x[i, k]\ns += t"),
    "max": rows("s = max(s, x[i, j])"),
    "minimum": rows("s = np.minimum(s, x[i, j])"),
    "max of exp": rows("s = max(s, np.exp(x[i, j]))"),
    "sum of exp": rows("s += np.exp(x[i, j])"),
    "sum under a test": rows("if x[i, j] > 0:\n    s += x[i, j]"),
    "sum under a test in doubt": rows("if np.exp(x[i, j]) > np.exp(x[i, 0]):\n    s += x[i, j]"),
    "sums of sums": rows("t = f32(0)\nfor k in range(N):\n    t += x[i, k]\ns += t * x[i, j]"),
    "triangle": rows("s += x[i, j]", "min(N, 5 * i + 1)"),
    "triangle in a row": rows("for k in range(j):\n    s += x[i, k] * x[i, j]"),
    "one long row": rows("s += x[i, j]", "N if i == 1 else 1"),
    "ragged": rows("s += x[i, j]", "min(N, max(0, i_[i]))"),
    "elements": over("for k in range(N):\n    for i in range(M):\n        y[i] += x[i, k]", ROWS),
    "products of elements": over("for k in range(N):\n    for i in range(M):\n        y[i] *= x[i, k]", ROWS),
    "histogram": over("for k in range(N):\n    y[i_[k] % M] += x[0, k]", ROWS),
    "whole numbers": over(WHOLE, f"{ROWS}, n: Tensor[i32, 1]"),
    "read back": over(BACK.format(start=0, read="x[i, j]"), ROWS),
    "all": over("s = f32(0)\nfor i in range(M):\n    for j in range(N):\n        s += x[i, j]\ny[0] = s", ROWS),
    "flags": over("s = 0\nfor j in range(N):\n    s |= i_[j]\n    y[0] += x[0, j]\ny[M - 1] = f32(s)", ROWS),
}  # fmt: skip
"""Kernels whose loops go together, as a whole or as long as nothing is in doubt."""

APART = {
    "the value before": rows("s = s * 2 + x[i, j]"),
    "a running value": over("s = f32(0)\nfor j in range(N):\n    s += x[0, j]\n    x[1, j] = s", ROWS),
    "a neighbour": over("for j in range(1, N):\n    x[0, j] = x[0, j - 1] + x[1, j]", ROWS),
    "the last that was": rows("if x[i, j] > 0:\n    s = x[i, j]"),
    "two sums in one variable": rows("s += x[i, j]\ns += x[i, 0]"),
    "read back elsewhere": over(BACK.format(start=1, read="x[i, j - 1]"), ROWS),
    "two writes of one array": over("for j in range(N - 1):\n    x[0, j] = 1\n    x[0, j + 1] = 2", ROWS),
}
"""Kernels one of whose loops must take its turns one after the other."""


def nest_of(text: str) -> Nest:
    """The nest of a kernel, with what is known of its indices, whether a plan is found for it or not."""
    (done,) = api.convert(Source("k.py", f"{HEAD}\n\n{text}")).kernels
    assert done.nest is not None
    return done.nest


def given(nest: Nest, mode: str, seed: int = 3) -> Any:
    drawn = data(nest, SIZES, mode, seed)
    return drawn.arrays, drawn.scalars, SIZES


def alike(a: Any, b: Any) -> bool:
    """Whether all is the same to the bit, but for the sign of NaN."""
    if isinstance(a, dict):
        return all(alike(a[name], b[name]) for name in b)
    if isinstance(a, tuple):
        return all(map(alike, a, b))
    if isinstance(a, Reference):
        return all(alike(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if not isinstance(a, np.ndarray) or a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    wide, other = (x.astype(np.float64 if x.dtype.itemsize < 8 else np.longdouble) for x in (a, b))
    same = (wide == other) & (np.signbit(wide) == np.signbit(other)) | np.isnan(wide) & np.isnan(other)
    return a.dtype == b.dtype and a.shape == b.shape and bool(same.all())


def both(nest: Nest, one: Any, depths: Any = None) -> tuple[Any, ...]:
    """All answers about a nest: both ways of its turns, with the axes that are parallel and without."""
    found: list[Any] = []
    for parallel in ((), [a for a, k in analyse(nest).kinds.items() if k.kind == "parallel"]):
        found.append(counted(nest, *one, parallel=parallel))
        for python in (False, True):
            found.append(reference(nest, *one, parallel=parallel, depths=depths, python=python))
    return tuple(found)


def serial(ask: Callable[..., Any], *args: Any) -> Any:
    """The same with every loop one turn after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SERIAL, 0)
        return ask(*args)


@pytest.mark.parametrize("name", KERNELS)
def test_both_ways_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nest = nest_of(KERNELS[name])
    tried: list[Loop] = []
    how = turns._tried
    monkeypatch.setattr(SIDE_BY_SIDE, lambda m, s, *rest: (tried.append(s), how(m, s, *rest)))
    depths = {"j": 4, "k": lambda n: n // 2}
    for mode in TRIED:
        one = given(nest, mode)
        assert alike(both(nest, one, depths), serial(both, nest, one, depths)), mode
    assert tried
    monkeypatch.setattr("tl2hip.nest.run.turns.LANES", 7)
    assert alike(both(nest, one, depths), serial(both, nest, one, depths))


@pytest.mark.parametrize("name", APART)
def test_loops_that_need_their_order(name: str) -> None:
    nest = nest_of(APART[name])
    loops = [s for s in all_stmts(nest.body) if isinstance(s, Loop)]
    assert TogetherLoops(nest, ()).of(loops[-1]) is None
    assert alike(both(nest, given(nest, "edges")), serial(both, nest, given(nest, "edges")))


def test_one_array_under_two_names_keeps_the_order() -> None:
    nest = nest_of(over("for j in range(1, N):\n    y[j] = x[j - 1]"))
    x = np.arange(5, dtype=np.float32)
    assert counted(nest, {"x": x, "y": x}, {}, {"N": 5})[0]["y"].tolist() == [0, 0, 0, 0, 0]
    assert counted(nest, {"x": x, "y": x + 5}, {}, {"N": 5})[0]["y"].tolist() == [5, 0, 1, 2, 3]


def test_a_long_sum_is_a_few_steps() -> None:
    nest = nest_of(KERNELS["all"])
    x = np.ones((3, 100_000), np.float32)
    arrays = {"x": x, "y": np.zeros(3, np.float32), "i_": np.zeros(100_000, np.int32)}
    got, taken = counted(nest, arrays, {}, {"M": 3, "N": 100_000}, steps=10)
    assert got["y"][0] == 300_000 and taken == 300_003


def test_a_term_out_of_its_order_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above finds a fold that takes its terms from the right."""
    nest = nest_of(KERNELS["sum"])
    one = given(nest, "normal")
    right = serial(both, nest, one)
    monkeypatch.setattr("tl2hip.nest.run.folds._in_turn", lambda m, values, n: _turned(m, values[0], n))
    assert not alike(both(nest, one), right)


def _turned(machine: Machine[Any], value: Any, n: int) -> Any:
    return machine.arithmetic.take(value, np.arange(n)[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 50))
def test_fuzzed_programs_both_ways(first: int) -> None:
    programs = [program(seed) for seed in range(first, first + 50)]
    for p, k in zip(programs, api.convert(Source("f.py", unit_text(programs))).kernels, strict=True):
        if k.nest is None or k.plan is None:
            continue
        depths = {axis: tree.depth for axis, tree in k.plan.trees}
        for sizes, mode in cases_of(k.nest, p):
            if mode in MODES:
                try:
                    drawn = data(k.nest, sizes, mode, p.seed)
                except NoScalars:
                    continue
                one = (drawn.arrays, drawn.scalars, sizes)
                assert alike(both(k.nest, one, depths), serial(both, k.nest, one, depths)), p.text
