"""The launcher checks what it is given, sizes its workspace, and runs the host program."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip import plans
from tl2hip.dtypes import F32, I64
from tl2hip.hip import print_plan
from tl2hip.nest.ir import Array, Binary, Const, Dim
from tl2hip.plan.ir import Plan
from tl2hip.prove.emulate import Buffer, Emulator

INVALID = 1
i64 = np.int64


def test_what_a_caller_needs_to_know() -> None:
    info = print_plan(plans.host_program()).launcher
    assert [(a.kind, a.c) for a in info.arguments] == [
        ("array", "x"),
        ("scalar", "n"),
        ("result", "y"),
        ("dim", "M"),
        ("workspace", "workspace"),
        ("stream", "stream"),
    ]
    assert info.workspace == "steps_workspace" and [a.c for a in info.workspace_arguments] == ["M", "n"]
    assert info.kernels == ("steps_kernel",)
    none = print_plan(plans.gemm()).launcher
    assert none.workspace is None and none.workspace_arguments == ()


def test_the_workspace_has_parts_of_256_bytes() -> None:
    with Emulator.load(print_plan(plans.host_program()).text, detect=False) as library:
        assert library.value("steps_workspace", [i64(4), i64(1000)]) == 256 + 4 * 1000 * 8
        assert library.value("steps_workspace", [i64(0), i64(0)]) == 0


def test_a_host_loop_launches_every_step_and_a_launch_of_nothing_is_left_out() -> None:
    printed = print_plan(plans.host_program())
    with Emulator.load(printed.text) as library:
        for n in (1000, 1001, 1, 0):
            x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
            work = np.zeros(256 + 4 * n * 8 + 256, np.uint8)
            run = library.call("steps", [x, i64(n), y, i64(4), work])
            assert run.status == 0 and not run.errors
            np.testing.assert_array_equal(y, 1 + 6 * x)


def status(plan: Plan, *sizes: int, same: bool = False) -> int:
    """The status of a call on arrays that may share memory."""
    printed = print_plan(plan)
    with Emulator.load(printed.text, detect=False) as library:
        first = Buffer(np.zeros(4096, np.uint8))
        arrays = [a for a in printed.launcher.arguments if a.kind in ("array", "result")]
        given = [first if same else Buffer(np.zeros(4096, np.uint8)) for _ in arrays]
        return library.call(printed.launcher.name, [*given, *map(i64, sizes)]).status


def test_negative_sizes_are_refused_and_empty_ones_accepted() -> None:
    assert status(plans.gemm(), 4, 4, 4) == 0
    assert status(plans.gemm(), 0, 4, 4) == 0
    for sizes in ((-1, 4, 4), (4, -1, 4), (4, 4, -1)):
        assert status(plans.gemm(), *sizes) == INVALID


def test_an_extent_made_of_sizes_may_not_be_negative() -> None:
    short = Array("out", F32, (Binary("-", Dim("N"), Const(2, I64)),), "parameter")
    plan = plans.one_kernel("cut", (short,), ("N",), (), (plans.i64(1),) * 3)
    assert status(plan, 2) == 0
    assert status(plan, 1) == INVALID


def test_a_written_array_may_not_share_memory() -> None:
    assert status(plans.gemm(), 4, 4, 4, same=True) == INVALID
    assert status(plans.gemm(), 0, 4, 4, same=True) == 0


def test_an_assert_of_the_user_and_the_workspace_are_checked() -> None:
    printed = print_plan(plans.host_program())
    with Emulator.load(printed.text, detect=False) as library:
        x, y, work = np.zeros(8, np.float32), np.zeros(8, np.float32), np.zeros(4096, np.uint8)
        assert library.call("steps", [x, i64(8), y, i64(2), work]).status == 0
        assert library.call("steps", [x, i64(8), y, i64(3), work]).status == INVALID
        assert library.call("steps", [x, i64(-1), y, i64(2), work]).status == INVALID
        nothing = ctypes.c_void_p(0)
        assert library.call("steps", [x, i64(8), y, i64(2), nothing]).status == INVALID
        assert library.call("steps", [x, i64(0), y, i64(0), nothing]).status == 0


@pytest.mark.parametrize("start", [0, 4, 32])
def test_in_place_means_the_same_start(start: int) -> None:
    """x and y may be one array, but not overlap otherwise."""
    printed = print_plan(plans.host_program())
    with Emulator.load(printed.text, detect=False) as library:
        memory = np.zeros(4096, np.uint8)
        x = memory[: 8 * 4].view(np.float32)
        y = memory[start : start + 8 * 4].view(np.float32)
        work = np.zeros(4096, np.uint8)
        expected = INVALID if start == 4 else 0
        assert library.call("steps", [x, i64(8), y, i64(2), work]).status == expected


def test_restrict_stands_where_overlap_was_refused_only() -> None:
    text = print_plan(plans.host_program()).text
    assert "steps_kernel(const float *x, float *y, i64 *__restrict__ counts, i64 t, i64 n)" in text
    assert "const _Float16 *__restrict__ A" in print_plan(plans.gemm()).text
