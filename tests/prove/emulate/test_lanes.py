"""Lane exchanges against what HIP and the CDNA3 ISA say, restated in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.emulate import Emulator, Library

from . import kernels
from .kernels import HEAD

LANES = np.arange(64)


@pytest.fixture(scope="module")
def shuffle() -> Library:
    return Emulator.load(kernels.SHUFFLE)


SHUFFLED = {
    0: LANES ^ 5,
    1: LANES ^ 32,
    2: np.where(LANES % 16 < 3, LANES, LANES - 3),
    3: np.where(LANES % 16 > 12, LANES, LANES + 3),
    4: LANES ^ 16,
    5: 63 - LANES,
    6: np.zeros(64),
    7: np.full(64, np.uint32(0xAAAAAAAA).astype(np.int32)),
    8: np.full(64, 3),
    9: LANES ^ 1,
    10: LANES,
    11: np.full(64, 7),
}


@pytest.mark.parametrize("how", SHUFFLED)
def test_shuffles(shuffle: Library, how: int) -> None:
    y = np.zeros(64, np.int32)
    run = shuffle.call("shuffle", [LANES.astype(np.int32), y, np.int32(how), np.int32(64)])
    assert run.findings == ()
    assert (y == SHUFFLED[how]).all()


def test_a_wave_sum_by_dpp() -> None:
    x = np.arange(192, dtype=np.float32)
    y = np.zeros(3, np.float32)
    run = Emulator.load(kernels.WAVE_SUM).call("wave_sum", [x, y, np.int32(3)])
    assert run.findings == () and (y == x.reshape(3, 64).sum(axis=1)).all()


def dpp_source(control: int) -> np.ndarray:
    """Source lane of each lane, -1 where there is none; CDNA3 ISA, DPP controls."""
    row, place, by = LANES // 16 * 16, LANES % 16, control % 16
    if control < 0x100:
        return LANES // 4 * 4 + np.array([control >> 2 * (lane % 4) & 3 for lane in LANES])
    shifts = {
        0x10: np.where(place + by < 16, LANES + by, -1),
        0x11: np.where(place >= by, LANES - by, -1),
        0x12: row + (place - by) % 16,
    }
    whole = {
        0x130: np.where(LANES < 63, LANES + 1, -1),
        0x134: (LANES + 1) % 64,
        0x138: LANES - 1,
        0x13C: (LANES - 1) % 64,
        0x140: row + 15 - place,
        0x141: LANES // 8 * 8 + 7 - LANES % 8,
        0x142: np.where(LANES >= 16, row - 1, -1),
        0x143: np.where(LANES >= 32, 31, -1),
    }
    return whole[control] if control in whole else shifts[control >> 4] if control < 0x150 else row + by


CONTROLS = [
    0x1B, 0xB1, 0x4E, 0x101, 0x108, 0x10F, 0x111, 0x11F, 0x121, 0x128, 0x12F, 0x130, 0x134, 0x138, 0x13C, 0x140,
    0x141, 0x142, 0x143, 0x150, 0x157,
]  # fmt: skip
MASKS = [(15, 15), (0xA, 15), (15, 5), (0xC, 9)]


def test_every_dpp_control_and_mask() -> None:
    cases = [(c, r, b, z) for c in CONTROLS for r, b in MASKS for z in (False, True)]
    lines = [
        f"y[{n * 64} + lane] = __builtin_amdgcn_update_dpp(-7, v, {c}, {r}, {b}, {str(z).lower()});"
        for n, (c, r, b, z) in enumerate(cases)
    ]
    text = HEAD + "__global__ void dpp_kernel(int* y) { const int lane = threadIdx.x, v = 100 + lane;\n"
    text += "\n".join(lines) + """
}
extern "C" hipError_t dpp(int* y, hipStream_t stream) {
    hipLaunchKernelGGL(dpp_kernel, dim3(1), dim3(64), 0, stream, y);
    return hipGetLastError();
}"""
    y = np.zeros((len(cases), 64), np.int32)
    assert Emulator.load(text).call("dpp", [y]).findings == ()
    assert read_counters(compile_device(text).text)[0].problems() == ()
    for got, (control, rows, banks, zero) in zip(y, cases, strict=True):
        source = dpp_source(control)
        value = np.where(source >= 0, 100 + source, 0 if zero else -7)
        enabled = (rows >> LANES // 16 & 1) & (banks >> LANES % 16 // 4 & 1)
        assert (got == np.where(enabled, value, -7)).all(), (hex(control), rows, banks, zero)


def test_blocks_of_1024_threads_and_three_axes() -> None:
    text = HEAD + """
__global__ void index_kernel(int* y, int* z) {
    const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    __shared__ int turn[1024];
    turn[t] = t;
    __syncthreads();
    y[b * 1024 + t] = turn[1023 - t] + __lane_id() * 10000;
    if (t == 0) atomicAdd(z, b);
}
extern "C" hipError_t index(int* y, int* z, hipStream_t stream) {
    hipLaunchKernelGGL(index_kernel, dim3(3, 2, 2), dim3(16, 8, 8), 0, stream, y, z);
    return hipGetLastError();
}"""
    y, z = np.zeros((12, 1024), np.int32), np.zeros(1, np.int32)
    run = Emulator.load(text).call("index", [y, z])
    assert run.findings == () and z[0] == 66
    t = np.arange(1024)
    assert (y == 1023 - t + t % 64 * 10000).all()
