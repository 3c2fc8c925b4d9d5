"""Printed expressions, compiled for the host, give the bits of NumPy under the nest's meaning."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.hip.random_expressions import DTYPES, expression, program
from tl2hip.dtypes import F32, DType
from tl2hip.hip import print_plan
from tl2hip.hip.text import Text
from tl2hip.nest.ir import AxisRef, Binary, Expr, Load
from tl2hip.nest.run import run
from tl2hip.nest.run.arithmetic import numpy_type
from tl2hip.prove.emulate import Emulator

N = 48


def data(dtype: DType, seed: int) -> np.ndarray:
    """Values of a dtype: extremes, small numbers, and any bits."""
    draw = np.random.default_rng(seed)
    if dtype.kind == "bool":
        return draw.random(N) < 0.5
    if dtype.is_float:
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, np.inf, -np.inf, np.nan, 300.0, -70000.0, 3e9, -1e19, 1e-6]
        rest = N - len(special)
        values = np.concatenate([special, draw.normal(size=rest) * 10.0 ** draw.integers(-3, 6, rest)])
        with np.errstate(over="ignore"):
            return draw.permutation(values).astype(numpy_type(dtype))
    info = np.iinfo(numpy_type(dtype))
    special = [info.min, info.max, 0, 1, 2, 3, 7, 31, 33, 64, 100, info.max - 1, info.min + 1]
    wide = draw.integers(info.min, info.max, N - len(special), dtype=numpy_type(dtype), endpoint=True)
    small = draw.integers(0, 9, N - len(special)).astype(numpy_type(dtype))
    mixed = np.where(wide % 2 == 0, wide, small)
    return draw.permutation(np.concatenate([np.array(special, numpy_type(dtype)), mixed]))


def same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays have the same bits, both a NaN, or both a zero (min and max may pick either)."""
    whole = np.dtype(f"u{a.dtype.itemsize}")
    equal = a.view(whole) == b.view(whole)
    if a.dtype.kind in "fV":
        a, b = a.astype(np.float64), b.astype(np.float64)
        equal |= (np.isnan(a) & np.isnan(b)) | ((a == 0) & (b == 0))
    return equal


def compare(expressions: tuple[Expr, ...]) -> list[Expr]:
    """The expressions that differ between the printed text and NumPy."""
    nest, plan = program(expressions, N)
    arrays = {f"{x}_{t}": data(t, 7 * k + (x == "a")) for k, t in enumerate(DTYPES) for x in "ab"}
    for name in nest.order:
        a = nest.array(name)
        if name.startswith("out_"):
            arrays[name] = np.zeros([int(n.value) for n in a.shape], numpy_type(a.dtype))
    with np.errstate(all="ignore"):
        expected = run(nest, arrays)
    printed = print_plan(plan)
    with Emulator.load(printed.text) as library:
        result = library.call(printed.launcher.name, [arrays[n] for n in nest.order])
    assert result.status == 0 and not result.errors, result.errors[:3]
    wrong = []
    for t in dict.fromkeys(e.dtype for e in expressions):
        mine = [e for e in expressions if e.dtype is t]
        good = same(arrays[f"out_{t}"], expected[f"out_{t}"]).all(axis=1)
        wrong += [e for e, ok in zip(mine, good, strict=True) if not ok]
    return wrong


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_give_numpys_bits(seed: int) -> None:
    draw = Random(seed)
    expressions = tuple(expression(DTYPES[k % len(DTYPES)], 1 + k % 4, draw) for k in range(26 * 4))
    assert compare(expressions) == []


def test_a_dropped_parenthesis_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: every operand of an operator printed bare."""
    monkeypatch.setattr(Text, "inside", lambda self, least: self.text)
    x, y = (Load(f"{n}_f32", (AxisRef("i"),), F32, True) for n in "ab")
    fine = Binary("+", Binary("*", x, y), y)
    broken = Binary("*", x, Binary("+", x, y))
    assert compare((fine, broken)) == [broken]
