"""The host compiler keeps one barrier one: branches around it are not folded into a copy for each side."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tl2hip.prove.emulate import Emulator

from .kernels import HEAD

TEXT = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void twice_kernel(int* out) {
    const int thread = threadIdx.x;
    if (thread == 0) out[0] = 1;
    __syncthreads();
    if (thread == 0) out[1] = 2;
}

extern "C" hipError_t twice(int* out, hipStream_t stream) {
    hipLaunchKernelGGL(twice_kernel, dim3(1), dim3(64), 0, stream, out);
    return hipGetLastError();
}
"""


@pytest.mark.parametrize("detect", [True, False])
def test_a_barrier_between_equal_branches_stays_one(detect: bool) -> None:
    out = np.zeros(2, np.int32)
    with Emulator.load(TEXT, detect=detect) as library:
        run = library.call("twice", [out, ctypes.c_void_p()])
    assert run.status == 0
    assert run.findings == ()
    assert out.tolist() == [1, 2]
