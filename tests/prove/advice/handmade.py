"""Figures of hand-made kernels: loops that are only said, and HIP texts that are compiled, run and modelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from tests.prove.machine.modelled import FACTS, lines, looped, products
from tl2hip.prove.advice import Figures, figures
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import KernelCounters, Loop, Mix, read_counters
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model import STANDARD, Settings, Trace, model

LATE = Settings(latency=2000, bandwidth=1e9)
LOAD = "global_load_dwordx4 v[120:123], v[124:125], off"
SAID = {"global_load_dwordx4": {"requests": 16, "bytes": 1024, "used": 1024}}
NONE = Mix(0, 0, 0, 0, 0, 0, {}, {}, 0, 0, {}, {}, 0, 0, 0, 0, 0, 0, 0)


def counters(loop: Mapping[str, Any] | None = None, **facts: Any) -> KernelCounters:
    """What the compiler might say: a kernel of 256 threads without a fault, and of its loop only what is said."""
    own = replace(NONE, **(loop or {}))
    loops = (Loop(".L0", 1, True, own, own, ()),) if loop is not None else ()
    usual: dict[str, Any] = {
        "name": "k", "symbol": "k", "vgprs": FACTS["vgprs"], "agprs": 0, "sgprs": 30, "vgpr_spills": 0,
        "sgpr_spills": 0, "scratch_bytes": 0, "lds_bytes": 0, "occupancy": 8, "threads": 256, "code_bytes": 100,
        "calls": 0, "undefined": (), "whole": own, "loops": loops, "code": (), "straight": (),
    }  # fmt: skip
    return KernelCounters(**{**usual, **facts})


def said(
    trace: Trace,
    settings: Sequence[Settings] = (LATE,),
    *,
    loop: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    **how: Any,
) -> Figures:
    """The figures of a hand-made loop, modelled with one block at once."""
    results = [model(trace, one, resident=1, blocks=1) for one in settings]
    return figures(counters(loop if loop is not None else {"mfma": 1}, **(facts or {})), results, trace, **how)


def matrix(count: int) -> str:
    """So many independent matrix instructions."""
    return lines(*[products("v_mfma_f32_16x16x16_f16", 4, 4)] * (count // 4))


def loads(wait: str, work: int, *, behind: bool) -> Trace:
    """A loop of a load and of matrix instructions, which stand before the wait for it, or behind."""
    order = (LOAD, wait, matrix(work)) if behind else (LOAD, matrix(work), wait)
    return looped(lines(*order), 20, 4, SAID)


COMPILED = """
#include <hip/hip_runtime.h>
typedef float f32x2 __attribute__((ext_vector_type(2)));
#define KERNEL(name) extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void name
#define LAUNCHER(name)                                                                          \\
    extern "C" hipError_t launch_##name(const float *x, float *y, int n, hipStream_t stream)    \\
    {                                                                                           \\
        hipLaunchKernelGGL(name, dim3(1), dim3(64), 0, stream, x, y, n);                        \\
        return hipGetLastError();                                                               \\
    }

template <int pitch>
static inline __device__ float rows(const float *x, int n)
{
    __shared__ __attribute__((aligned(16))) float lds[64 * pitch / 4];
    const int row = threadIdx.x * (pitch / 4);
    lds[row] = x[threadIdx.x];
    lds[row + 1] = x[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        const f32x2 two = *(const f32x2 *)&lds[row];  // reads a row
        sum += two.x * two.y;
        asm volatile("" ::: "memory");
    }
    return sum;
}
KERNEL(rows_144)(const float *x, float *y, int n)
{
    y[threadIdx.x] = rows<144>(x, n);  // 144
}
KERNEL(rows_64)(const float *x, float *y, int n)
{
    y[threadIdx.x] = rows<64>(x, n);  // 64
}
KERNEL(rows_136)(const float *x, float *y, int n)
{
    y[threadIdx.x] = rows<136>(x, n);  // 136
}
KERNEL(strided)(const float *x, float *y, int n)
{
    y[threadIdx.x] = x[threadIdx.x * 64];  // strided
}
KERNEL(side_by_side)(const float *x, float *y, int n)
{
    y[threadIdx.x] = x[threadIdx.x];
}
KERNEL(narrow)(const float *x, float *y, int n)
{
    const unsigned short *from = (const unsigned short *)x;
    y[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x + 256];  // narrow
}
KERNEL(one_word)(const float *x, float *y, int n)
{
    const float *from = x + threadIdx.x / 64;
    asm volatile("" : "+v"(from));
    y[threadIdx.x] = *from;  // all lanes want one word
}
LAUNCHER(rows_144)
LAUNCHER(rows_64)
LAUNCHER(rows_136)
LAUNCHER(strided)
LAUNCHER(side_by_side)
LAUNCHER(narrow)
LAUNCHER(one_word)
"""


IN_SCRATCH = """
#include <hip/hip_runtime.h>
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void k(const float *x, float *y, int n)
{
    float own[64];
    for (int i = 0; i < 64; ++i)
        own[i] = x[i] + y[i];
    y[threadIdx.x] = own[(threadIdx.x + n) & 63];
}
"""
"""An array of each thread in which a number that is not known stands for a place. It is not executed."""


def line_with(part: str) -> int:
    """The line of that text with a part."""
    return next(n for n, line in enumerate(COMPILED.splitlines(), 1) if part in line)


@cache
def compiled(kernel: str) -> Figures:
    """The figures of one of its kernels."""
    named = {one.name: one for one in read_counters(compile_device(COMPILED).text)}
    args = [np.ones(64 * 64, np.float32), np.zeros(64, np.float32), np.int32(8)]
    with _library() as library:
        trace = library.trace(f"launch_{kernel}", args)
    return figures(named[kernel], [model(trace, one) for one in STANDARD], trace)


def _library() -> Any:
    return MachineLibrary(COMPILED, detect=False)
