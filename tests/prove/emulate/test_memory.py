"""Arrays as arguments: aliases, strides, scalars, types; and the conversions the runtime brings."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest

from tl2hip.prove.emulate import Buffer, Emulator, Library, LoadError

from . import kernels
from .kernels import HEAD, planted

CAST = HEAD + """
template <class To, class From>
__global__ void cast_kernel(const From* x, To* y, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = (To)x[i];
}
#define CAST(name, To, From)                                                                            \\
    extern "C" hipError_t name(const From* x, To* y, int n, hipStream_t stream) {                       \\
        hipLaunchKernelGGL((cast_kernel<To, From>), dim3((n + 255) / 256), dim3(256), 0, stream, x, y, n); \\
        return hipGetLastError();                                                                       \\
    }
CAST(f64_to_f16, _Float16, double)
CAST(f32_to_f16, _Float16, float)
CAST(f16_to_f32, float, _Float16)
CAST(f32_to_bf16, __bf16, float)
CAST(f64_to_bf16, __bf16, double)
CAST(bf16_to_f32, float, __bf16)

__global__ void half_kernel(const _Float16* x, _Float16* y) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    y[i] = x[i] * x[i] + x[i + 1] - x[i] / x[i + 1];
}
extern "C" hipError_t half(const _Float16* x, _Float16* y, int n, hipStream_t stream) {
    hipLaunchKernelGGL(half_kernel, dim3(n / 256), dim3(256), 0, stream, x, y);
    return hipGetLastError();
}

__global__ void add_kernel(_Float16* y, _Float16 h, __bf16 b, signed char c, bool flag, long w) {
    y[0] += h + (_Float16)(float)b + (_Float16)c + (_Float16)flag + (_Float16)w;
}
extern "C" hipError_t add(_Float16* y, _Float16 h, __bf16 b, signed char c, bool flag, long w, hipStream_t stream) {
    hipLaunchKernelGGL(add_kernel, dim3(1), dim3(1), 0, stream, y, h, b, c, flag, w);
    return hipGetLastError();
}
extern "C" size_t workspace(long n, int parts) { return n * parts * sizeof(float); }
"""


@pytest.fixture(scope="module")
def scale() -> Library:
    return Emulator.load(kernels.SCALE)


@pytest.fixture(scope="module")
def cast() -> Library:
    return Emulator.load(CAST, detect=False)


def test_one_array_twice_is_one_address(scale: Library) -> None:
    for twice in (lambda x: (x, x), lambda x: (b := Buffer(x), b), lambda x: (x, x[:])):
        x = np.arange(100, dtype=np.float32)
        run = scale.call("scale", [*twice(x), np.float32(3), np.int32(100)])
        assert run.findings == () and (x == 3 * np.arange(100)).all()


def test_overlapping_views_stay_overlapping(scale: Library) -> None:
    x = np.ones(101, np.float32)
    run = scale.call("scale", [x[:100], x[1:], np.float32(2), np.int32(100)])
    assert {finding.kind for finding in run.errors} == {"race"}  # thread i + 1 reads what thread i writes


def test_strided_and_negative_views(scale: Library) -> None:
    x = np.arange(20, dtype=np.float32)
    y = np.zeros(10, np.float32)
    run = scale.call("scale", [x[::2], y, np.float32(1), np.int32(10)])
    assert run.findings == () and (y == np.arange(10)).all()  # the text walks memory, not the view
    run = scale.call("scale", [x[::-1][-1:], y, np.float32(1), np.int32(2)])
    assert run.errors[0].kind == "out_of_bounds"


def test_empty_arrays_may_not_be_touched(scale: Library) -> None:
    empty = np.zeros(0, np.float32)
    y = np.zeros(1, np.float32)
    run = scale.call("scale", [empty, y, np.float32(1), np.int32(1)])
    assert run.errors[0].kind == "out_of_bounds"
    run = scale.call("scale", [empty, np.zeros(0, np.float32), np.float32(1), np.int32(0)])
    assert run.status == 9  # a grid of no blocks


def test_empty_views_of_an_array_that_is_passed_too(scale: Library) -> None:
    x = np.ones(100, np.float32)
    for empty in (x[:0], x[50:50], x[100:]):
        run = scale.call("scale", [empty, x, np.float32(1), np.int32(0)])
        assert run.status == 9 and (x == 1).all()


def test_untouched_elements_keep_their_value(scale: Library) -> None:
    y = np.full(100, 9, np.float32)
    scale.call("scale", [np.ones(100, np.float32), y, np.float32(2), ctypes.c_int(50)])
    assert (y[:50] == 2).all() and (y[50:] == 9).all()


def test_a_python_number_is_refused(scale: Library) -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(TypeError, match="C type"):
        scale.call("scale", [x, x, 2.0, np.int32(4)])


def test_scalars_of_every_kind(cast: Library) -> None:
    y = np.array([0.5], np.float16)
    args = [y, np.float16(1.5), ml_dtypes.bfloat16(2), np.int8(-3), np.bool_(True), np.int64(40)]
    run = cast.call("add", args)
    assert run.status == 0 and y[0] == 0.5 + 1.5 + 2 - 3 + 1 + 40
    assert cast.value("workspace", [np.int64(1 << 40), np.int32(3)]) == 12 << 40


def same(x: np.ndarray, y: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        return np.array_equal(x.astype(np.float64), y.astype(np.float64), equal_nan=True)


def test_every_f16_and_bf16_widens_exactly(cast: Library) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    for name, dtype in (("f16_to_f32", np.float16), ("bf16_to_f32", ml_dtypes.bfloat16)):
        x, y = bits.view(dtype), np.zeros(1 << 16, np.float32)
        assert cast.call(name, [x, y, np.int32(x.size)]).status == 0
        assert same(y, x.astype(np.float32))


def test_narrowing_rounds_once_to_nearest_even(cast: Library) -> None:
    halves = np.arange(1 << 16, dtype=np.uint16)
    for kind, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        with np.errstate(invalid="ignore"):
            exact = halves.view(dtype).astype(np.float64)
        exact = exact[np.isfinite(exact)]
        ties = (exact[:-1] + exact[1:]) / 2
        extremes = np.array([1e308, np.inf, -np.inf, np.nan])
        for x in (exact, ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf), extremes):
            y, z = np.zeros(x.size, dtype), np.zeros(x.size, dtype)
            cast.call(f"f64_to_{kind}", [x, y, np.int32(x.size)])
            assert same(y, nearest_even(x, exact, dtype))
            with np.errstate(over="ignore"):
                single = x.astype(np.float32)
            cast.call(f"f32_to_{kind}", [single, z, np.int32(x.size)])
            assert same(z, single.astype(dtype))


def nearest_even(x: np.ndarray, values: np.ndarray, dtype: type) -> np.ndarray:
    """Round through a search among all finite values of the type: the reference knows no bit tricks."""
    ordered = np.unique(values)
    top = ordered[-1]
    step = top - ordered[-2]
    at = np.clip(np.searchsorted(ordered, x), 1, ordered.size - 1)
    low, high = ordered[at - 1], ordered[at]
    even = high.astype(dtype).view(np.uint16) % 2 == 0
    with np.errstate(invalid="ignore"):
        rounded = np.where((x - low > high - x) | ((x - low == high - x) & even), high, low)
        rounded = np.where(np.abs(x) >= top + step / 2, np.copysign(np.inf, x), rounded)
    return np.where(np.isnan(x), np.nan, rounded)


def test_f16_arithmetic_rounds_after_every_operation(cast: Library) -> None:
    x = np.random.default_rng(3).uniform(0.5, 4, 2049).astype(np.float16)
    y = np.zeros(2048, np.float16)
    cast.call("half", [x, y, np.int32(2048)])
    assert (y == x[:-1] * x[:-1] + x[1:] - x[:-1] / x[1:]).all()


def test_an_unknown_function_is_a_clear_error() -> None:
    text = planted(kernels.SCALE, "by * x[i]", "mystery(x[i])")
    text = planted(text, "__global__", 'extern "C" float mystery(float);\n__global__')
    with pytest.raises(LoadError, match="mystery"):
        Emulator.load(text)
