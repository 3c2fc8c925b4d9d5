"""Printed kernels on the emulated compute unit: reductions, atomics, vectors, edges."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from tests.hip import plans
from tl2hip.dtypes import BF16, BOOL, F8E4M3, F16, F32, F64, I8, I16, I32, I64, U8, U32, DType
from tl2hip.hip import print_plan
from tl2hip.nest.ir import Const
from tl2hip.nest.run import arithmetic
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.plan.ir import Plan
from tl2hip.prove.emulate import Emulator, Run

DTYPES = (F64, F32, F16, BF16, F8E4M3, I64, I32, I16, I8, U8, U32, BOOL)
ANY_ORDER = ("+", "*", "min", "max", "minimum", "maximum", "fmin", "fmax")
SEEDS = {"*": 1, "min": 9, "max": -9, "minimum": 9, "maximum": -9, "fmin": 9, "fmax": -9, "&": -1, "and": True}


def call(plan: Plan, *args: Values | np.generic) -> Run:
    """Runs the printed launcher; arrays are changed in place."""
    printed = print_plan(plan)
    with Emulator.load(printed.text) as library:
        run = library.call(printed.launcher.name, args)
    assert not run.errors, run.errors[0]
    return run


def whole(draw: np.random.Generator, dtype: DType, *shape: int, most: int = 3) -> Values:
    """Small whole numbers, so that every order of a sum gives the same."""
    low = 0 if dtype.kind in ("uint", "bool") else -most
    values: Values = draw.integers(low, (1 if dtype is BOOL else most) + 1, shape).astype(numpy_type(dtype))
    return values


def reduced(op: str, values: Values, dtype: DType, first: Const) -> Values:
    """The reduction of the last axis in order, in the dtype."""
    start = np.full(values.shape[:-1], first.value).astype(numpy_type(dtype))
    with np.errstate(all="ignore"):
        return reduce(lambda s, j: arithmetic.binary(op, s, values[..., j]), range(values.shape[-1]), start)


def ops(dtype: DType) -> tuple[str, ...]:
    """The operations that a reduction of the dtype may have; sums of fp8 round in every step."""
    if dtype is BOOL:
        return "and", "or", "^"
    if dtype is F8E4M3:
        return ANY_ORDER[1:]
    return ANY_ORDER if dtype.is_float else (*ANY_ORDER[:4], "&", "|", "^")


def first_value(op: str, dtype: DType) -> Const:
    """A value to start a reduction from that leaves it something to do."""
    if dtype.kind == "uint":
        return Const({"&": 2**dtype.bits - 1, "*": 1, "min": 9}.get(op, 0), dtype)
    return Const(SEEDS.get(op, 0), dtype)


@pytest.mark.parametrize("threads", [64, 256])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_row_reduction_gives_what_a_loop_gives(dtype: DType, threads: int) -> None:
    firsts = tuple((op, first_value(op, dtype)) for op in ops(dtype))
    x = whole(np.random.default_rng(1), dtype, 3, 90, most=1)
    out = np.zeros((len(firsts), 3), numpy_type(dtype))
    call(plans.reductions(dtype, threads, firsts), x, out, np.int64(3), np.int64(90))
    for k, (op, first) in enumerate(firsts):
        np.testing.assert_array_equal(out[k], reduced(op, x, dtype, first), err_msg=op)


def test_a_nan_in_a_row_goes_on_or_is_dropped() -> None:
    x = np.arange(180, dtype=np.float32).reshape(2, 90)
    x[1, 77] = np.nan
    firsts = tuple((op, Const(5.0, F32)) for op in ("minimum", "maximum", "fmin", "fmax"))
    out = np.zeros((4, 2), np.float32)
    call(plans.reductions(F32, 256, firsts), x, out, np.int64(2), np.int64(90))
    for k, (op, first) in enumerate(firsts):
        np.testing.assert_array_equal(out[k], reduced(op, x, F32, first), err_msg=op)


@pytest.mark.parametrize("threads", [64, 128])
@pytest.mark.parametrize("op", ["first_max", "first_min", "last_max", "last_min"])
def test_the_position_of_an_extreme_value(op: str, threads: int) -> None:
    x = np.random.default_rng(2).integers(0, 5, (4, 150)).astype(np.float32)
    x[1] = np.nan
    x[2, ::3] = np.nan
    value, position = np.zeros(4, np.float32), np.zeros(4, np.int64)
    call(plans.extreme(op, threads), x, value, position, np.int64(4), np.int64(150))
    for i in (0, 2, 3):
        best = np.nanmax(x[i]) if op.endswith("max") else np.nanmin(x[i])
        where = np.flatnonzero(x[i] == best)
        assert value[i] == best and position[i] == where[0 if op.startswith("first") else -1]
    assert position[1] == (2**63 - 1 if op.startswith("first") else -1)


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t is not F8E4M3], ids=str)
def test_atomic_updates_lose_nothing(dtype: DType) -> None:
    draw = np.random.default_rng(3)
    where = draw.integers(-9, 9, 300).astype(np.int32)
    inside = (where >= -8) & (where < 8)
    x = whole(draw, dtype, 300, most=1)
    out = whole(draw, dtype, len(ops(dtype)), 8)
    expected = out.copy()
    with np.errstate(all="ignore"):
        for k, op in enumerate(ops(dtype)):
            for i in np.flatnonzero(inside):
                expected[k, where[i]] = arithmetic.binary(op, expected[k, where[i]], x[i])
    call(plans.scatter(dtype, ops(dtype)), where, x, out, np.int64(300), np.int64(8))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [F32, I32, I64, U8, BF16, F8E4M3], ids=str)
def test_a_plain_update_reads_and_writes_in_the_dtype(dtype: DType) -> None:
    where = np.array([3, -1, 8, -9, 0], np.int32)
    x = np.array([1, 2, 3, 4, 5]).astype(numpy_type(dtype))
    out = np.arange(8).astype(numpy_type(dtype))[None]
    if dtype in (I32, I64):
        out[0, 3] = np.iinfo(out.dtype).max
    expected = out.copy()
    with np.errstate(all="ignore"):
        for i in (0, 1, 4):
            expected[0, where[i]] = arithmetic.binary("+", expected[0, where[i]], x[i])
    call(plans.scatter(dtype, ("+",), atomic=False), where, x, out, np.int64(5), np.int64(8))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(("dtype", "width"), [(F32, 4), (F16, 8), (BF16, 2), (U8, 16), (BOOL, 4)])
def test_vectors_move_every_element(dtype: DType, width: int) -> None:
    x = whole(np.random.default_rng(4), dtype, 200 * width // 2, most=9)
    out = np.zeros_like(x)
    call(plans.vectors(dtype, width), x, out, np.int64(len(x)))
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("shape", [(5, 300, 7), (1, 1, 1), (3, 257, 0), (0, 4, 4), (4, 0, 4)])
def test_gemm_at_its_edges(shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    draw = np.random.default_rng(5)
    a, b = whole(draw, F16, m, k), whole(draw, F16, k, n)
    c = np.full((m, n), 7, np.float32)
    call(plans.gemm(), a, b, c, *map(np.int64, shape))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
