"""Bank conflicts and coalescing are counted on the addresses of a wave."""

from __future__ import annotations

import numpy as np
import pytest

from tl2hip.prove.emulate import BankConflicts, Coalescing, Emulator

from . import kernels
from .kernels import HEAD, planted

LDS = HEAD + """
typedef float vector __attribute__((ext_vector_type(WIDTH)));

__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void touch_kernel(float* y) {
    __shared__ float room[8192];
    const int lane = threadIdx.x;
    vector* at = (vector*)&room[PLACE];
    *at = (vector)(1.0f);
    __syncthreads();
    y[lane] = ((volatile float*)at)[0] > 0.0f ? (*at)[0] : 0.0f;
}

extern "C" hipError_t touch(float* y, hipStream_t stream) {
    hipLaunchKernelGGL(touch_kernel, dim3(1), dim3(64), 0, stream, y);
    return hipGetLastError();
}
"""


def store_ways(width: int, place: str) -> float:
    text = LDS.replace("WIDTH", str(width)).replace("PLACE", place)
    run = Emulator.load(text).call("touch", [np.zeros(64, np.float32)])
    (store,) = (count for count in run.bank_conflicts if count.store)
    assert store.instructions == 1 and store.bytes == 4 * width and "*at =" in store.text
    return store.ways


@pytest.mark.parametrize(
    ("width", "place", "ways"),
    [
        (1, "lane", 1), (1, "lane * 2", 2), (1, "lane * 8", 8), (1, "lane * 33", 1), (1, "lane * 32", 32),
        (2, "lane * 2", 1), (2, "lane * 16", 8),
        (4, "lane * 4", 1), (4, "lane * 36", 1), (4, "lane * 32", 8), (4, "lane / 2 * 4 + lane % 2 * 32", 2),
    ],
)  # fmt: skip
def test_ways_of_a_store(width: int, place: str, ways: int) -> None:
    assert store_ways(width, place) == ways


def test_phases_of_a_16_byte_read() -> None:
    """Rows of 128 bytes: 8-way as they are, free of conflicts when 16-byte chunks are permuted by row % 8."""
    swizzled = "lane % 32 * 32 + ((lane / 32) ^ lane % 8) * 4"
    for place, ways in ((swizzled, 1), ("lane % 32 * 32 + lane / 32 * 4", 8)):
        text = LDS.replace("WIDTH", "4").replace("PLACE", place)
        text = planted(text, "(*at)[0]", "at->x + at->w + at->y + at->z")
        run = Emulator.load(text).call("touch", [np.zeros(64, np.float32)])
        reads = [count for count in run.bank_conflicts if not count.store and count.bytes == 16]
        assert [count.ways for count in reads] == [ways]


def transpose(text: str) -> tuple[tuple[BankConflicts, ...], tuple[Coalescing, ...]]:
    a = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
    b = np.zeros((96, 64), np.float32)
    run = Emulator.load(text).call("transpose", [a, b, np.int32(64), np.int32(96)])
    assert run.findings == () and (b == a.T).all()
    return run.bank_conflicts, run.coalescing


def test_a_padded_tile_has_no_conflict_and_full_lines() -> None:
    banks, memory = transpose(kernels.TRANSPOSE)
    assert banks and all(count.ways == 1 for count in banks)
    assert memory and all(count.efficiency == 1 for count in memory)


def test_a_tile_without_padding_conflicts_on_the_column_read() -> None:
    banks, _ = transpose(planted(kernels.TRANSPOSE, "tile[32][33]", "tile[32][32]"))
    assert {count.store: count.ways for count in banks} == {True: 1, False: 32}


def test_a_column_read_is_counted_as_uncoalesced() -> None:
    text = planted(kernels.SCALE, "x[i];", "x[(long)i * 64 % 4096];")
    x, y = np.ones(4096, np.float32), np.zeros(256, np.float32)
    run = Emulator.load(text).call("scale", [x, y, np.float32(2), np.int32(256)])
    load, store = sorted(run.coalescing, key=lambda count: count.store)
    assert (load.instructions, load.requests, load.ideal, load.lines) == (4, 256, 16, 256)
    assert load.efficiency == 1 / 16 and store.efficiency == 1
