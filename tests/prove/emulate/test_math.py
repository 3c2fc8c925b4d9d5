"""The mathematics of our HIP header: no call on gfx942, NumPy's values on the emulated unit."""

from __future__ import annotations

import numpy as np

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.emulate import Emulator

from .kernels import HEAD

X = np.linspace(0.1, 4, 64, dtype=np.float32)
W = X.astype(np.float64)

LOW_HALF = "(float)__builtin_bit_cast(_Float16, (short)"

VALUES = {
    "expf(x)": np.exp(W),
    "exp2f(x)": np.exp2(W),
    "__builtin_amdgcn_exp2f(x)": np.exp2(W),
    "logf(x)": np.log(W),
    "log2f(x)": np.log2(W),
    "__builtin_amdgcn_logf(x)": np.log2(W),
    "log10f(x)": np.log10(W),
    "fabsf(-x)": X,
    "(float)fabs(-(double)x)": X,
    "floorf(x)": np.floor(X),
    "(float)floor((double)x)": np.floor(X),
    "ceilf(x)": np.ceil(X),
    "(float)ceil((double)x)": np.ceil(X),
    "truncf(x)": np.trunc(X),
    "(float)trunc((double)x)": np.trunc(X),
    "rintf(x)": np.rint(X),
    "(float)rint((double)x)": np.rint(X),
    "roundf(x)": np.floor(W + 0.5),
    "(float)round((double)x)": np.floor(W + 0.5),
    "sqrtf(x)": np.sqrt(W),
    "(float)sqrt((double)x)": np.sqrt(W),
    "__builtin_amdgcn_sqrtf(x)": np.sqrt(W),
    "__builtin_amdgcn_rcpf(x)": 1 / W,
    "__builtin_amdgcn_rsqf(x)": 1 / np.sqrt(W),
    "__builtin_amdgcn_fmed3f(x, 1.0f, 2.0f)": np.clip(X, 1, 2),
    "fmodf(x, 0.75f)": np.fmod(W, 0.75),
    "fminf(x, 1.5f)": np.minimum(X, 1.5),
    "(float)fmax((double)x, 1.5)": np.maximum(X, 1.5),
    "copysignf(x, -1.0f)": -X,
    "(float)copysign((double)x, -1.0)": -X,
    "ldexpf(x, 3)": 8 * X,
    "(float)ldexp((double)x, -1)": X / 2,
    "fmaf(x, 3.0f, 1.0f)": 3 * W + 1,
    "(float)fma((double)x, 3.0, 1.0)": 3 * W + 1,
    "max(x, 1.25f) + (float)min((double)x, 1.25)": X + np.float32(1.25),
    "(float)max((int)x, 2)": np.maximum(np.trunc(X), 2),
    "(float)min((unsigned long long)x, 2ull)": np.minimum(np.trunc(X), 2),
    "(float)(isnan(x) || isinf(x) || !isfinite(x) || signbit(x))": np.zeros(64),
    "(float)(isnan(x / 0.0f - x / 0.0f) && isinf(x / 0.0f) && signbit(-x))": np.ones(64),
    "__int_as_float(__float_as_int(x))": X,
    f"{LOW_HALF}(__builtin_bit_cast(int, __builtin_amdgcn_cvt_pkrtz(x, 0.0f))))": (
        (X.view(np.int32) & ~0x1FFF).view(np.float32)
    ),
    f"{LOW_HALF}(__builtin_bit_cast(int, __builtin_amdgcn_cvt_pkrtz(x, -7e4f)) >> 16))": np.full(64, -65504),
    "(float)__longlong_as_double(__double_as_longlong((double)x))": X,
    "(float)__popc((unsigned)x)": np.bitwise_count(X.astype(np.int32)),
    "(float)__popcll((unsigned long long)x)": np.bitwise_count(X.astype(np.int32)),
    "(float)(__clz((int)x) + (int)x * 0)": np.array([32, 31, 30, 30, 29])[X.astype(int)],
    "(float)__clzll((long long)x)": np.array([64, 63, 62, 62, 61])[X.astype(int)],
    "(float)__ffs((int)x)": np.array([0, 1, 2, 1, 3])[X.astype(int)],
    "(float)__ffsll((long long)x)": np.array([0, 1, 2, 1, 3])[X.astype(int)],
    "__uint_as_float(__builtin_amdgcn_perm(7u, __float_as_uint(x), 0x03020100))": X,
    "(float)(__builtin_amdgcn_perm(0xFF00u, 0x8000u, 0x0C050804) >> 8)": np.full(64, 0xFFFF),
}


def test_every_formula() -> None:
    text = HEAD
    for n, formula in enumerate(VALUES):
        text += f"""
__global__ void math{n}_kernel(const float* in, float* out) {{
    const float x = in[threadIdx.x];
    out[threadIdx.x] = {formula};
}}
extern "C" hipError_t math{n}(const float* in, float* out, hipStream_t stream) {{
    hipLaunchKernelGGL(math{n}_kernel, dim3(1), dim3(64), 0, stream, in, out);
    return hipGetLastError();
}}"""
    for kernel, formula in zip(read_counters(compile_device(text).text), VALUES, strict=True):
        assert kernel.problems() == (), formula
    library = Emulator.load(text, detect=False)
    for n, (formula, expected) in enumerate(VALUES.items()):
        y = np.full(64, np.nan, np.float32)
        assert library.call(f"math{n}", [X, y]).status == 0
        np.testing.assert_allclose(y, expected, rtol=3e-7, err_msg=formula)
