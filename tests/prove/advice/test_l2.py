"""The rule about what must come from behind L2: of a kernel whose blocks read what no other does, and of one whose
blocks read the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tl2hip.prove.advice import Figures, figures, remarks
from tl2hip.prove.advice.memory import behind_l2
from tl2hip.prove.advice.table import table
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.emulate import unsupported
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model import STANDARD, model
from tl2hip.prove.machine.model.shared import shared

pytestmark = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")

ROWS = 64
"""Rows that a block sums, of 1,024 bytes each."""
TEXT = """
#include <hip/hip_runtime.h>
typedef float f32x4 __attribute__((ext_vector_type(4)));
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void
sums(const f32x4 *x, float *y, int rows, int apart)
{
    const f32x4 *from = x + blockIdx.x * apart + threadIdx.x;
    f32x4 sum = 0;
#pragma unroll 8
    for (int k = 0; k < rows; ++k)
        sum += from[64 * k];
    y[64 * blockIdx.x + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
extern "C" hipError_t launch(const void *x, float *y, int blocks, int rows, int apart, hipStream_t stream)
{
    hipLaunchKernelGGL(sums, dim3(blocks), dim3(64), 0, stream, (const f32x4 *)x, y, rows, apart);
    return hipGetLastError();
}
"""


@cache
def of(apart: int, blocks: int = 608) -> Figures:
    """The figures of blocks whose rows begin so many vectors of 16 bytes apart."""
    (counters,) = read_counters(compile_device(TEXT).text)
    x = np.ones(4 * (apart * blocks + 64 * ROWS), np.float32)
    args = [x, np.zeros(64 * blocks, np.float32), np.int32(blocks), np.int32(ROWS), np.int32(apart)]
    with MachineLibrary(TEXT, detect=False) as made:
        assert isinstance(made, MachineLibrary)
        trace = made.trace("launch", args)
        found = shared(made, "launch", args, trace)
    return replace(figures(counters, [model(trace, one) for one in STANDARD], trace), shared=found)


def test_blocks_that_read_what_no_other_does() -> None:
    f = of(64 * ROWS)
    said = behind_l2(f)
    assert f.shared is not None and f.shared.share == 1.0 and f.shared.asked == ROWS * 1024
    most = max(f.shared.asked * 38 / one.clocks_a_block for one in f.results)
    assert said is not None and said in remarks(f) and said.weight == pytest.approx(1 - 1024 / most)
    assert said.text == (
        f"{most:,.0f} bytes a clock must come from behind the L2 of an XCD, which gets 1,024: "
        "of what its blocks ask for they share 0 %"
    )
    assert 1300 < most <= 54 * 38


def test_blocks_that_read_the_same() -> None:
    f = of(0)
    assert f.shared is not None and f.shared.share == pytest.approx(1 / 76)
    assert behind_l2(f) is None
    assert behind_l2(replace(f, shared=None)) is None


def test_the_row_of_the_table() -> None:
    told = "L2             1 % of what blocks ask for comes from behind it, 0 % from HBM or Infinity Cache"
    assert f"    {told}" in list(table(of(0), ""))
    few = of(0, 303)
    assert few.shared is None and not any("    L2  " in line for line in table(few, ""))
