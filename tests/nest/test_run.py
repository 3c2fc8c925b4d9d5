"""Nests run on NumPy as plain Python runs them, bit for bit, in parallel or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.nest import by_hand as h
from tests.nest.build.helpers import nest_of
from tests.nest.build.test_loops import over
from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I8, I32, I64, U8, U32, DType
from tl2hip.nest.ir import (
    FUNCTIONS,
    Axis,
    Binary,
    Cast,
    Compare,
    Const,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    Variable,
)
from tl2hip.nest.run import counted, run
from tl2hip.nest.run.arithmetic import BINARY, CALLS, binary, cast, numpy_type, update
from tl2hip.nest.run.machine import TooLong


def draw(seed: int, *shape: int, dtype: DType = F32) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(numpy_type(dtype))


def same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", [F32, F64, F16, BF16], ids=str)
@pytest.mark.parametrize("parallel", [(), ("i",), ("i", "j")])
def test_product_is_bit_equal_to_loops(dtype: DType, parallel: tuple[str, ...]) -> None:
    a, b = draw(1, 5, 7, dtype=dtype), draw(2, 7, 3, dtype=dtype)
    c = np.zeros((5, 3), a.dtype)
    for i in range(5):
        for j in range(3):
            s = a.dtype.type(0)
            for k in range(7):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    dims = {"M": 5, "D": 7, "N": 3}
    got = run(h.product(dtype), {"A": a, "B": b, "C": np.empty_like(c)}, {}, dims, parallel=parallel)
    assert same(got["C"], c)


@pytest.mark.parametrize("parallel", [(), ("i",), ("i", "k", "p")])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (4, 9)])
def test_softmax(parallel: tuple[str, ...], shape: tuple[int, int]) -> None:
    x = draw(3, *shape)
    y = np.empty_like(x)
    for i in range(shape[0]):
        m = np.float32(-np.inf)
        for j in range(shape[1]):
            m = max(m, x[i, j])
        total = np.float32(0)
        for j in range(shape[1]):
            y[i, j] = np.float32(np.exp(np.float64(x[i, j] - m)))
            total += y[i, j]
        for j in range(shape[1]):
            y[i, j] /= total
    dims = dict(zip("MN", shape, strict=True))
    lanes = tuple(a for a in parallel if a != "k")
    got = run(h.softmax(), {"X": x, "Y": np.empty_like(x)}, {}, dims, parallel=lanes)
    assert same(got["Y"], y)


@pytest.mark.parametrize("parallel", [(), ("i",)])
def test_ragged_rows(parallel: tuple[str, ...]) -> None:
    start = np.array([0, 2, 2, 5, 6], np.int32)
    column = np.array([3, 0, -1, 1, 1, 2], np.int32)
    value, x = draw(4, 6), draw(5, 4)
    y = np.zeros(4, np.float32)
    for i in range(4):
        s = np.float32(0)
        for p in range(start[i], start[i + 1]):
            s += value[p] * x[column[p]]
        y[i] = s
    arrays = {"start": start, "column": column, "value": value, "x": x, "y": np.full(4, np.nan, np.float32)}
    got = run(h.sparse_product(), arrays, {}, {"M": 4, "NNZ": 6, "N": 4}, parallel=parallel)
    assert same(got["y"], y)


def test_index_outside_loads_zero_and_drops_the_store() -> None:
    at = Cast(h.load("at", h.i, dtype=I32), I64)
    body = [
        h.loop(
            "i",
            h.N,
            Store("y", (h.i,), h.load("x", at, proven=False), True),
            Store("z", (at,), h.f32(1.0)),
        )
    ]
    arrays = [h.array("at", I32, h.N), *(h.array(n, F32, h.M) for n in "xz"), h.array("y", F32, h.N)]
    nest = h.nest(body, arrays, "N M")
    given = {
        "at": np.array([0, 2, -1, 3, -3, -4, 9], np.int32),
        "x": np.array([10, 20, 30], np.float32),
        "z": np.zeros(3, np.float32),
        "y": np.zeros(7, np.float32),
    }
    for parallel in ((), ("i",)):
        got = run(nest, given, {}, {"N": 7, "M": 3}, parallel=parallel)
        assert got["y"].tolist() == [10, 30, 30, 0, 10, 0, 0]
        assert got["z"].tolist() == [1, 0, 1]


def test_load_of_an_empty_array_is_zero() -> None:
    body = [h.loop("i", h.N, Store("y", (h.i,), h.load("x", h.i, proven=False), True))]
    nest = h.nest(body, [h.array("x", F32, h.M), h.array("y", F32, h.N)], "N M")
    given = {"x": np.zeros(0, np.float32), "y": np.ones(2, np.float32)}
    assert run(nest, given, {}, {"N": 2, "M": 0}, parallel=("i",))["y"].tolist() == [0, 0]


def test_index_wrongly_proven_is_an_error() -> None:
    body = [h.loop("i", h.N, Store("z", (h.add(h.i, h.whole(1)),), h.f32(0), True))]
    nest = h.nest(body, [h.array("z", F32, h.N)], "N")
    with pytest.raises(IndexError, match="z: an index proven inside"):
        run(nest, {"z": np.zeros(3, np.float32)}, {}, {"N": 3}, parallel=("i",))


@pytest.mark.parametrize("parallel", [(), ("i",)])
def test_updates_of_one_element_all_count(parallel: tuple[str, ...]) -> None:
    x = np.array([0.1, 0.15, 0.9, -0.3, 1.0, 0.55, 0.11], np.float32)
    given = {"x": x, "hist": np.array([5, 0, 0, 0], np.int32)}
    got = run(h.histogram(), given, {}, {"N": 7, "BINS": 4}, parallel=parallel)
    assert got["hist"].tolist() == [8, 0, 1, 1]


@pytest.mark.parametrize("parallel", [(), ("i",)])
def test_argmax_keeps_the_first(parallel: tuple[str, ...]) -> None:
    x = np.array([[1, 3, 3, 2], [np.nan, -1, np.nan, -1], [np.nan] * 4], np.float32)
    given = {"X": x, "value": np.zeros(3, np.float32), "index": np.zeros(3, np.int32)}
    got = run(h.argmax(), given, {}, {"M": 3, "N": 4}, parallel=parallel)
    assert got["value"].tolist() == [3, -1, -np.inf]
    assert got["index"].tolist() == [1, 1, 0]


@pytest.mark.parametrize("parallel", [(), ("i",)])
def test_while_in_each_lane(parallel: tuple[str, ...]) -> None:
    x = np.array([0.0, 0.5, 3.0, -2.0, 1.0, np.nan], np.float32)
    expected = []
    for c in x:
        z, n = np.float32(0), 0
        while n < 20 and z * z <= 4:
            z = z * z + c
            n += 1
        expected.append(n)
    given = {"x": x, "count": np.zeros(6, np.int64)}
    got = run(h.escape(), given, {"limit": 20}, {"N": 6}, parallel=parallel)
    assert got["count"].tolist() == expected


@pytest.mark.parametrize("parallel", [(), ("i",), ("i", "j")])
def test_turns_are_counted_side_by_side_or_not(parallel: tuple[str, ...]) -> None:
    given = {"A": draw(1, 5, 7), "B": draw(2, 7, 3), "C": np.zeros((5, 3), np.float32)}
    dims = {"M": 5, "D": 7, "N": 3}
    got, turns = counted(h.product(F32), given, {}, dims, parallel=parallel)
    assert turns == 5 + 5 * 3 + 5 * 3 * 7
    assert same(got["C"], run(h.product(F32), given, {}, dims)["C"])
    escaped = {"x": np.full(1, 2, np.float32), "count": np.zeros(1, np.int64)}
    results, turns = counted(h.escape(), escaped, {"limit": 9}, {"N": 1}, parallel=parallel)
    assert turns == 1 + int(results["count"][0]) + 1  # the loop, its `while`, and the test that ends it


def test_too_long_a_run_is_given_up() -> None:
    given = {"x": np.zeros(1, np.float32), "count": np.zeros(1, np.int64)}
    with pytest.raises(TooLong):
        run(h.escape(), given, {"limit": 10**9}, {"N": 1}, steps=100)


@pytest.mark.parametrize("parallel", [(), ("i",)])
def test_turns_that_are_too_many_are_not_begun(parallel: tuple[str, ...]) -> None:
    nest = nest_of(over("for i in range(2**62):\n    y[i % N] = x[i % N]"))
    given = {"x": np.ones(3, np.float32), "y": np.zeros(3, np.float32)}
    with pytest.raises(TooLong):
        run(nest, given, {}, {"N": 3}, parallel=parallel, steps=100)
    assert not given["y"].any()


@pytest.mark.parametrize("parallel", [(), ("i",), ("i", "k")])
def test_local_arrays_are_each_lanes_own(parallel: tuple[str, ...]) -> None:
    x = draw(6, 9)
    expected = np.zeros(9, np.float32)
    for i in range(9):
        for j in range(i + 1):
            expected[i] += x[j] * x[i]
    got = run(h.triangle(), {"x": x}, {}, {"N": 9}, parallel=parallel)
    assert same(got["out"], expected)


def statement(result: DType, value: Any, *names: str, dtype: DType = F32) -> Nest:
    """z[i] = value over arrays of one dtype."""
    arrays = [*(h.array(n, dtype, h.N) for n in names), h.array("z", result, h.N)]
    return h.nest([h.loop("i", h.N, Store("z", (h.i,), value, True))], arrays, "N")


def elementwise(nest: Nest, **arrays: np.ndarray[Any, Any]) -> list[Any]:
    n = len(next(iter(arrays.values())))
    z = np.zeros(n, numpy_type(nest.array("z").dtype))
    result: list[Any] = run(nest, {**arrays, "z": z}, {}, {"N": n}, parallel=("i",))["z"].tolist()
    return result


def test_select_evaluates_only_the_chosen_side() -> None:
    before = h.load("x", Binary("-", h.i, h.whole(1)))
    nest = statement(F32, Select(Compare(">", h.i, h.whole(0)), before, h.f32(7)), "x")
    assert elementwise(nest, x=np.arange(4, dtype=np.float32)) == [7, 0, 1, 2]


def test_logic_evaluates_its_right_side_only_if_needed() -> None:
    inside = Compare(">", h.i, h.whole(0))
    before = h.load("x", Binary("-", h.i, h.whole(1)))
    both = statement(BOOL, Logic("and", inside, Compare(">", before, h.f32(1))), "x")
    assert elementwise(both, x=np.arange(4, dtype=np.float32)) == [False, False, False, True]
    either = statement(BOOL, Logic("or", Unary("not", inside), Compare(">", before, h.f32(1))), "x")
    assert elementwise(either, x=np.arange(4, dtype=np.float32)) == [True, False, False, True]


def test_python_and_numpy_and_c_maximum() -> None:
    x = np.array([np.nan, 1, 2], np.float32)
    y = np.array([5, np.nan, 3], np.float32)
    found = {op: binary(op, x, y) for op in ("max", "maximum", "fmax", "min")}
    np.testing.assert_array_equal(found["max"], [np.nan, 1, 3])
    np.testing.assert_array_equal(found["maximum"], [np.nan, np.nan, 3])
    np.testing.assert_array_equal(found["fmax"], [5, 1, 3])
    np.testing.assert_array_equal(found["min"], [np.nan, 1, 2])


def test_integers_follow_python_and_wrap() -> None:
    a = np.array([7, -7, 7, -7, 5, -128], np.int8)
    b = np.array([2, 2, -2, -2, 0, -1], np.int8)
    with np.errstate(all="ignore"):
        assert binary("//", a, b).tolist() == [3, -4, -4, 3, 0, -128]
        assert binary("%", a, b).tolist() == [1, 1, -1, -1, 0, 0]
        assert binary("*", a, a)[5] == 0
        assert binary("**", a[:3], np.array([2, 0, -1], np.int8)).tolist() == [49, 1, 0]
        assert binary("<<", a[:2], np.array([8, 1], np.int8)).tolist() == [0, -14]
        assert binary(">>", a[:2], np.array([9, 9], np.int8)).tolist() == [0, -1]


@pytest.mark.parametrize(
    ("value", "new", "expected"),
    [
        (1.9, I32, 1),
        (-1.9, I64, -1),
        (np.nan, I32, 0),
        (1e30, I64, 2**63 - 1),
        (-1e30, I64, -(2**63)),
        (1e30, I32, -1),
        (300.0, U8, 44),
        (-1.0, U32, 0),
        (1e30, U32, 2**32 - 1),
        (3e9, I32, 3 * 10**9 - 2**32),
        (0.5, BOOL, True),
        (np.nan, BOOL, True),
    ],
)
def test_casts_of_floats(value: float, new: DType, expected: int) -> None:
    assert cast(np.array([value]), F64, new).tolist() == [expected]


def test_casts_round_and_wrap() -> None:
    assert cast(np.array([2049.0], np.float32), F32, F16).tolist() == [2048]
    with np.errstate(over="ignore"):
        assert cast(np.array([65520.0], np.float32), F32, F16).tolist() == [np.inf]
    assert cast(np.array([1 + 2**-8], np.float32), F32, BF16).astype(float).tolist() == [1.0]
    assert cast(np.array([300], np.int64), I64, I8).tolist() == [44]


def test_every_operation_and_function_has_a_meaning() -> None:
    assert set(CALLS) == set(FUNCTIONS)
    ops = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "min", "max"]
    assert set(BINARY) == {*ops, "minimum", "maximum", "fmin", "fmax", "and", "or"}


@pytest.mark.parametrize("op", ["+", "*", "min", "max", "minimum", "fmax"])
def test_repeated_updates_happen_in_order(op: str) -> None:
    offset = np.array([1, 0, 1, 1, 2, 0])
    value = np.array([3, np.nan, 1, 7, 2, 5], np.float32)
    memory = np.array([1, 2, 3, 4], np.float32)
    expected = memory.copy()
    for o, v in zip(offset, value, strict=True):
        expected[o] = binary(op, expected[o : o + 1], np.array([v]))[0]
    with np.errstate(invalid="ignore"):
        update(memory, offset, op, value)
    np.testing.assert_array_equal(memory, expected)


def test_the_same_array_twice_is_one_array() -> None:
    x = np.arange(4, dtype=np.float32)
    got = run(h.added(), {"x": x, "y": x, "z": x}, {}, {"N": 4}, parallel=("i",))
    assert got["z"].tolist() == [0, 2, 4, 6]
    assert x.tolist() == [0, 1, 2, 3]


def test_a_variable_keeps_its_last_value_after_a_parallel_loop() -> None:
    body = [
        h.loop(
            "i",
            h.M,
            Set("n", h.whole(-1)),
            h.loop("j", h.i, Set("n", h.mul(h.j, h.j))),
            Store("z", (h.i,), Var("n", I64), True),
        )
    ]
    nest = h.nest(body, [h.array("z", I64, h.M)], "M", [Variable("n", I64)])
    for parallel in ((), ("i",), ("j",), ("i", "j")):
        got = run(nest, {"z": np.zeros(4, np.int64)}, {}, {"M": 4}, parallel=parallel)
        assert got["z"].tolist() == [-1, 0, 1, 4]


def test_loops_backwards_and_with_steps() -> None:
    def visited(start: int, stop: int, step: int) -> list[int]:
        body = [h.loop("i", stop, Update("z", (h.i,), "+", Const(1, I32)), start=start, step=step)]
        got = run(h.nest(body, [h.array("z", I32, h.N)], "N"), {"z": np.zeros(9, np.int32)}, {}, {"N": 9})
        return np.flatnonzero(got["z"]).tolist()

    for range_ in ((0, 9, 2), (8, 0, -3), (5, 5, 1), (7, 2, 1), (8, 3, -1)):
        assert visited(*range_) == sorted(range(*range_))


def test_lanes_in_turns_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = draw(1, 6, 5), draw(2, 5, 4)
    given = {"A": a, "B": b, "C": np.zeros((6, 4), np.float32)}
    dims = {"M": 6, "D": 5, "N": 4}
    whole = run(h.product(), given, {}, dims, parallel=("i", "j"))
    monkeypatch.setattr("tl2hip.nest.run.turns.LANES", 7)
    assert same(run(h.product(), given, {}, dims, parallel=("i", "j"))["C"], whole["C"])


def test_scalars_take_their_dtype() -> None:
    eps = Scalar("eps", F32)
    body = [h.loop("i", h.N, Store("z", (h.i,), h.add(h.load("z", h.i), eps), True))]
    nest = h.nest(body, [h.array("z", F32, h.N)], "N", scalars=[eps])
    got = run(nest, {"z": np.ones(2, np.float32)}, {"eps": 0.1}, {"N": 2}, parallel=("i",))
    assert got["z"].tolist() == [np.float32(1) + np.float32(0.1)] * 2


def test_a_branch_may_set_what_only_it_uses() -> None:
    test = Compare("<", h.load("x", h.i), h.f32(0))
    negated: tuple[Stmt, ...] = (Set("s", Unary("-", h.load("x", h.i))), Store("x", (h.i,), h.S, True))
    nest = h.nest([h.loop("i", h.N, If(test, negated))], [h.array("x", F32, h.N)], "N", [Variable("s", F32)])
    got = run(nest, {"x": np.array([-1, 2, -3], np.float32)}, {}, {"N": 3}, parallel=("i",))
    assert got["x"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [((3,), np.float64, r"x must be f32\[4\], not float64\[3\]"), ((5,), np.float32, r"x must be f32\[4\]")],
)
def test_arguments_are_checked(shape: tuple[int, ...], dtype: Any, message: str) -> None:
    z = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match=message):
        run(h.added(), {"x": np.zeros(shape, dtype), "y": z, "z": z}, {}, {"N": 4})


def test_a_loop_evaluates_its_bounds_once() -> None:
    n = Var("n", I64)
    count = Loop(Axis("i", h.whole(0), n), (Set("n", h.add(n, h.whole(5))),))
    nest = h.nest(
        [Set("n", h.whole(3)), count, Store("z", (h.whole(0),), n, True)],
        [h.array("z", I64, h.whole(1))],
        "",
        [Variable("n", I64)],
    )
    assert run(nest, {"z": np.zeros(1, np.int64)})["z"].tolist() == [18]


def test_functions_are_rounded_once() -> None:
    from tl2hip.nest.ir import Call

    x = np.linspace(-3, 3, 50, dtype=np.float32)
    function: Callable[[float], float] = np.exp
    nest = statement(F32, Call("exp", (Load("x", (h.i,), F32, True),), F32), "x")
    assert elementwise(nest, x=x) == [np.float32(function(np.float64(v))) for v in x]
