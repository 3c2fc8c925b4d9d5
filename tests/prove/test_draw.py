"""Drawn shapes and data fit the kernel, are the same each time, and reach its edges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.nest import by_hand as h
from tests.nest.build.helpers import nest_of
from tests.nest.build.test_loops import over
from tl2hip.dtypes import BF16, F8E4M3, F16, F32, F64, I32, I64, U8, DType
from tl2hip.nest.ir import (
    Axis,
    Binary,
    Check,
    Compare,
    Const,
    Dim,
    Loop,
    Nest,
    Scalar,
    Set,
    Store,
    Update,
    Var,
    Variable,
)
from tl2hip.nest.run import run
from tl2hip.prove.draw import MODES, WORK, admitted, data, pool, shapes, work
from tl2hip.prove.place import placed
from tl2hip.prove.shapes import ELEMENTS, elements
from tl2hip.prove.uses import uses

ALL = (
    h.added,
    h.product,
    h.row_sum,
    h.softmax,
    h.sparse_product,
    h.histogram,
    h.argmax,
    h.escape,
    h.triangle,
)


@pytest.mark.parametrize("make", ALL)
def test_every_draw_runs_and_is_the_same_again(make: Any) -> None:
    nest = make()
    drawn = shapes(nest, 3, 6)
    assert drawn == shapes(nest, 3, 6) != shapes(nest, 4, 6)
    for sizes in drawn:
        assert admitted(nest, sizes) and work(nest, sizes) <= WORK
        for mode in MODES:
            one, again = data(nest, sizes, mode, 5), data(nest, sizes, mode, 5)
            assert all(one.arrays[n].tobytes() == again.arrays[n].tobytes() for n in one.arrays)
            assert one.scalars == again.scalars
    run(nest, one.arrays, one.scalars, drawn[-1], steps=10_000)


def test_shapes_reach_zero_one_and_beyond_a_wave() -> None:
    drawn = shapes(h.product(), 0, 30)
    for name in ("M", "D", "N"):
        sizes = {s[name] for s in drawn}
        assert {0, 1} <= sizes and any(n > 256 for n in sizes)
    assert len({tuple(s.values()) for s in drawn}) == len(drawn) == 30


def test_tiles_bring_their_neighbours() -> None:
    nest = h.added()
    loop = nest.body[0]
    assert isinstance(loop, Loop)
    tiled = replace(nest, body=(replace(loop, axis=replace(loop.axis, tile=200)),))
    assert {199, 200, 201, 399} <= set(pool(tiled))
    assert not {199, 200, 201, 399} & set(pool(nest))


def test_work_is_bounded() -> None:
    for sizes in shapes(h.product(), 1, 10, budget=500):
        assert work(h.product(), sizes) <= 500
    assert work(h.product(), {"M": 10, "D": 20, "N": 30}) == 1 + 10 * (1 + 30 * (1 + 1 + 20 + 1))


def test_what_runs_alone_counts_more() -> None:
    dims = {"M": 10, "N": 20}
    assert work(h.row_sum(), dims) < work(h.row_sum(), dims, ("i",)) < work(h.row_sum(), dims, ())
    for sizes in shapes(h.row_sum(), 0, 10, 3000, parallel=()):
        assert sizes["M"] * sizes["N"] < 500


def checked(nest: Nest, *tests: Any) -> Nest:
    return replace(nest, checks=tuple(Check(t, "") for t in tests))


def test_checks_hold() -> None:
    whole = Binary("%", Dim("N"), Const(16, I64))
    nest = checked(
        h.product(),
        Compare("==", whole, Const(0, I64)),
        Compare("==", Dim("M"), h.mul(Const(3, I64), Dim("D"))),
        Compare("<=", Dim("D"), Dim("N")),
    )
    drawn = shapes(nest, 0, 8)
    assert len(drawn) == 8
    assert all(s["N"] % 16 == 0 and s["M"] == 3 * s["D"] and s["D"] <= s["N"] for s in drawn)


def test_extents_that_are_expressions_are_never_negative() -> None:
    left = h.add(Binary("-", Dim("H"), Dim("F")), Const(1, I64))
    body = [h.loop("i", left, Store("z", (h.i,), h.f32(0), True))]
    nest = h.nest(body, [h.array("x", F32, Dim("H")), h.array("f", F32, Dim("F")), h.array("z", F32, left)], "H F")
    drawn = shapes(nest, 0, 20)
    assert len(drawn) == 20 and min(s["H"] - s["F"] + 1 for s in drawn) == 0
    assert data(nest, drawn[0], "normal", 0).arrays["z"].shape == (drawn[0]["H"] - drawn[0]["F"] + 1,)


def test_a_nest_without_extents_has_one_shape() -> None:
    nest = h.nest([Store("z", (h.whole(0),), h.f32(0), True)], [h.array("z", F32, h.whole(1))], "")
    assert shapes(nest, 0, 9) == ({},)


def test_subscripts_lie_in_range_with_duplicates_and_negatives() -> None:
    columns = data(h.sparse_product(), {"M": 9, "NNZ": 200, "N": 20}, "normal", 0).arrays["column"]
    assert columns.min() < 0 and columns.min() >= -20 and columns.max() < 20
    assert len(set(columns.tolist())) < 200
    falling = data(h.sparse_product(), {"M": 9, "NNZ": 20, "N": 20}, "coded", 0).arrays["column"]
    assert falling.tolist() == list(range(19, -1, -1))
    outside = data(h.sparse_product(), {"M": 9, "NNZ": 200, "N": 20}, "edges", 0).arrays["column"]
    assert (outside >= 20).any() and (outside < -20).any()


def test_row_pointers_rise_within_what_they_point_into() -> None:
    whole = 0
    for seed in range(20):
        start = data(h.sparse_product(), {"M": 30, "NNZ": 50, "N": 7}, "normal", seed).arrays["start"]
        assert (np.diff(start) >= 0).all() and start.min() >= 0 and start.max() <= 50
        assert (np.diff(start) == 0).any()
        whole += start[0] == 0 and start[-1] == 50
    assert whole > 3


def test_lengths_of_rows_stay_inside_them() -> None:
    inner = h.loop("j", h.to_whole(h.load("length", h.i, dtype=I32)), Store("X", (h.i, h.j), h.f32(0), False))
    nest = h.nest([h.loop("i", h.M, inner)], [h.array("length", I32, h.M), h.array("X", F32, h.M, h.N)], "M N")
    lengths = data(nest, {"M": 100, "N": 7}, "normal", 0).arrays["length"]
    assert set(lengths.tolist()) == set(range(8))


def test_a_subscript_times_a_page_stays_inside() -> None:
    """x[page[i] * 16 + j]: pages are numbered up to the extent over 16."""
    at = h.add(h.mul(Var("page", I64), h.whole(16)), h.j)
    body = [
        h.loop(
            "i",
            h.M,
            Set("page", h.to_whole(h.load("table", h.i, dtype=I32))),
            h.loop("j", 16, Store("z", (h.i,), h.load("x", at, proven=False), True)),
        )
    ]
    arrays = [h.array("table", I32, h.M), h.array("x", F32, h.N), h.array("z", F32, h.M)]
    nest = h.nest(body, arrays, "M N", [Variable("page", I64)])
    table = data(nest, {"M": 50, "N": 160}, "integers", 0).arrays["table"]
    assert table.min() >= -10 and table.max() == 9
    assert [e.array for e in uses(nest).subscripts["table"]] == ["x"]


def test_distinct_indices_are_distinct() -> None:
    at = h.to_whole(h.load("idx", h.i, dtype=I32))
    nest = h.nest(
        [h.loop("i", h.M, Store("z", (at,), h.f32(1)))],
        [h.array("idx", I32, h.M), h.array("z", F32, h.N)],
        "M N",
    )
    for mode in MODES:
        idx = data(replace(nest, distinct=("idx",)), {"M": 30, "N": 40}, mode, 0).arrays["idx"]
        assert len(set(idx.tolist())) == 30 and idx.min() >= 0 and idx.max() < 40


def test_an_array_that_is_not_read_keeps_what_is_promised_of_it() -> None:
    nest = h.nest(
        [h.loop("i", h.M, Store("z", (h.i,), h.f32(1)))], [h.array("idx", I32, h.M), h.array("z", F32, h.M)], "M"
    )
    for mode in MODES:
        idx = data(replace(nest, distinct=("idx",)), {"M": 300}, mode, 0).arrays["idx"]
        assert len(set(idx.tolist())) == 300


def test_offsets_never_fall() -> None:
    at = h.to_whole(h.load("start", h.i, dtype=I32))
    nest = h.nest(
        [h.loop("i", h.M, Store("z", (at,), h.f32(1)))],
        [h.array("start", I32, h.M), h.array("z", F32, h.N)],
        "M N",
    )
    for mode in MODES:
        start = data(replace(nest, offsets=("start",)), {"M": 30, "N": 40}, mode, 0).arrays["start"]
        assert (np.diff(start) >= 0).all() and start.min() >= 0 and start.max() <= 40


@pytest.mark.parametrize("dtype", [F8E4M3, F16, BF16, F32, F64], ids=str)
def test_modes_are_what_they_say(dtype: DType) -> None:
    nest = h.product(dtype)
    dims = {"M": 20, "D": 30, "N": 10}
    drawn = {m: data(nest, dims, m, 0).arrays["A"].astype(np.float64) for m in MODES}
    assert (drawn["integers"] == np.round(drawn["integers"])).all() and np.abs(drawn["integers"]).max() == 4
    assert (drawn["one-hot"].sum(1) == 1).all() and set(drawn["one-hot"].ravel()) == {0.0, 1.0}
    coded = drawn["coded"].ravel()
    assert (np.diff(coded)[:10] == 1).all()
    assert (drawn["positive"] > 0).all()
    assert np.isfinite(drawn["large"]).all() and np.isfinite(drawn["large"] ** 2).all()
    assert np.isnan(drawn["edges"]).any() and not np.isnan(drawn["normal"]).any()
    if dtype.bits >= 32:
        assert np.abs(drawn["cancelling"].sum(1)).max() < 1e-3 * np.abs(drawn["cancelling"]).max()


def test_bytes_stay_bytes() -> None:
    body = [h.loop("i", h.N, Update("z", (h.i,), "+", h.load("z", h.i, dtype=U8)))]
    nest = h.nest(body, [h.array("z", U8, h.N)], "N")
    for mode in MODES:
        assert data(nest, {"N": 20}, mode, 0).arrays["z"].dtype == np.uint8


def test_scalars_a_loop_depends_on_stay_small_and_checks_hold() -> None:
    limits = {data(h.escape(), {"N": 4}, "large", seed).scalars["limit"] for seed in range(30)}
    assert limits <= {0, 1, 2, 3, 7, 20} and len(limits) > 3
    step = Scalar("step", F32)
    nest = checked(
        replace(h.added(), scalars=(step,)),
        Compare(">", step, Const(0.0, F32)),
        Compare(">=", Dim("N"), Const(2, I64)),
    )
    assert all(data(nest, {"N": 4}, "normal", seed).scalars["step"] > 0 for seed in range(10))
    assert all(s["N"] >= 2 for s in shapes(nest, 0, 5))


def test_an_unknown_mode_is_told() -> None:
    with pytest.raises(ValueError, match="no mode wild; there are normal"):
        data(h.added(), {"N": 1}, "wild", 0)


def test_loops_of_unknown_length_count_for_something() -> None:
    nest = h.nest(
        [Loop(Axis("i", h.whole(0), Var("n", I64)), (Set("n", h.whole(1)),))], [], "", [Variable("n", I64)]
    )
    assert work(nest, {}) == 9


def test_arrays_with_far_strides_are_drawn_where_memory_has_room_for_them() -> None:
    text = over("for i in range(N):\n    y[x[i]] += 1", "x: Tensor[i32, N], y: Tensor[f32, M, strides({})]")
    for stride in (2**36, 2**63 - 1):
        nest = nest_of(text.format(stride))
        drawn = list(shapes(nest, 0, 6))
        assert drawn and all(sizes["M"] <= 1 and elements(nest, sizes) <= ELEMENTS for sizes in drawn)
        assert elements(nest, {"N": 2, "M": 3}) == 2 + 1 + 2 * stride
    one = placed(np.ones(1, np.float32), True, (2**63 - 1,))
    assert one.tolist() == [1.0]
