"""Every matrix instruction against NumPy, with the lane maps of AMD's matrix instruction calculator written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.emulate import Emulator, Library

from .kernels import HEAD


@dataclass(frozen=True)
class Shape:
    """One instruction: `a` and `c` give (block, row or column, k) and (block, row, column) of lane t, element e."""

    m: int
    k: int
    blocks: int
    per_lane: int
    registers: int
    a: Callable[[int, int], tuple[int, int, int]]
    c: Callable[[int, int], tuple[int, int, int]]


def c16(lane: int, r: int) -> tuple[int, int, int]:
    return 0, 4 * (lane // 16) + r, lane % 16


def c32(lane: int, r: int) -> tuple[int, int, int]:
    return 0, 8 * (r // 4) + 4 * (lane // 32) + r % 4, lane % 32


def c4(lane: int, r: int) -> tuple[int, int, int]:
    return lane // 4, r, lane % 4


F16, BF16, F32, F64, I8 = np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.int8
FP8, BF8 = ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz

S16x16 = Shape(16, 16, 1, 4, 4, lambda t, j: (0, t % 16, 4 * (t // 16) + j), c16)
S32x8 = Shape(32, 8, 1, 4, 16, lambda t, j: (0, t % 32, 4 * (t // 32) + j), c32)
S16x4 = Shape(16, 4, 1, 1, 4, lambda t, j: (0, t % 16, t // 16), c16)
S32x2 = Shape(32, 2, 1, 1, 16, lambda t, j: (0, t % 32, t // 32), c32)
S16x8 = Shape(16, 8, 1, 2, 4, lambda t, j: (0, t % 16, 2 * (t // 16) + j), c16)
S32x4 = Shape(32, 4, 1, 2, 16, lambda t, j: (0, t % 32, 2 * (t // 32) + j), c32)
S16x32 = Shape(16, 32, 1, 8, 4, lambda t, j: (0, t % 16, 8 * (t // 16) + j), c16)
S32x16 = Shape(32, 16, 1, 8, 16, lambda t, j: (0, t % 32, 8 * (t // 32) + j), c32)
D16x4 = Shape(16, 4, 1, 1, 4, lambda t, j: (0, t % 16, t // 16), lambda t, r: (0, 4 * r + t // 16, t % 16))
D4x4 = Shape(4, 4, 4, 1, 1, lambda t, j: (t // 4 % 4, t % 4, t // 16), lambda t, r: (t // 4 % 4, t // 16, t % 4))
S4x4 = Shape(4, 4, 16, 4, 4, lambda t, j: (t // 4, t % 4, j), c4)
S4x1 = Shape(4, 1, 16, 1, 4, lambda t, j: (t // 4, t % 4, 0), c4)

INSTRUCTIONS = {
    "f32_16x16x16f16": (S16x16, F16, F16, F32), "f32_16x16x16bf16_1k": (S16x16, BF16, BF16, F32),
    "f32_32x32x8f16": (S32x8, F16, F16, F32), "f32_32x32x8bf16_1k": (S32x8, BF16, BF16, F32),
    "f32_16x16x4f32": (S16x4, F32, F32, F32), "f32_32x32x2f32": (S32x2, F32, F32, F32),
    "f32_16x16x8_xf32": (S16x8, F32, F32, F32), "f32_32x32x4_xf32": (S32x4, F32, F32, F32),
    "i32_16x16x32_i8": (S16x32, I8, I8, np.int32), "i32_32x32x16_i8": (S32x16, I8, I8, np.int32),
    "f64_16x16x4f64": (D16x4, F64, F64, F64), "f64_4x4x4f64": (D4x4, F64, F64, F64),
    "f32_4x4x4f16": (S4x4, F16, F16, F32), "f32_4x4x4bf16_1k": (S4x4, BF16, BF16, F32),
    "f32_4x4x1f32": (S4x1, F32, F32, F32),
} | {
    f"f32_{name}_{x}_{y}": (shape, dx, dy, F32)
    for name, shape in (("16x16x32", S16x32), ("32x32x16", S32x16))
    for x, dx in (("fp8", FP8), ("bf8", BF8))
    for y, dy in (("fp8", FP8), ("bf8", BF8))
}  # fmt: skip


def factor_type(dtype: type, shape: Shape) -> str:
    if np.dtype(dtype).itemsize == 1:
        return "long"
    base = {F16: "_Float16", BF16: "short", F32: "float", F64: "double"}[dtype]
    return base if shape.per_lane == 1 else f"{base} __attribute__((ext_vector_type({shape.per_lane})))"


def text_of(name: str) -> str:
    shape, dtype, _, total = INSTRUCTIONS[name]
    sum_base = {F32: "float", F64: "double", np.int32: "int"}[total]
    vector = f" __attribute__((ext_vector_type({shape.registers})))" if shape.registers > 1 else ""
    return f"""
typedef {factor_type(dtype, shape)} {name}_factor;
typedef {sum_base}{vector} {name}_sum;
__global__ void {name}_kernel(const char* a, const char* b, char* c) {{
    const int lane = threadIdx.x;
    {name}_factor x, y;
    {name}_sum s;
    __builtin_memcpy(&x, a + lane * sizeof x, sizeof x);
    __builtin_memcpy(&y, b + lane * sizeof y, sizeof y);
    __builtin_memcpy(&s, c + lane * sizeof s, sizeof s);
    s = __builtin_amdgcn_mfma_{name}(x, y, s, 0, 0, 0);
    __builtin_memcpy(c + lane * sizeof s, &s, sizeof s);
}}
extern "C" hipError_t run_{name}(const char* a, const char* b, char* c, hipStream_t stream) {{
    hipLaunchKernelGGL({name}_kernel, dim3(1), dim3(64), 0, stream, a, b, c);
    return hipGetLastError();
}}
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return Emulator.load(HEAD + "".join(map(text_of, INSTRUCTIONS)), detect=False)


def test_gfx942_has_every_instruction() -> None:
    made = read_counters(compile_device(HEAD + "".join(map(text_of, INSTRUCTIONS))).text)
    assert [(kernel.name, kernel.whole.mfma) for kernel in made] == [(f"{name}_kernel", 1) for name in INSTRUCTIONS]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instruction(library: Library, name: str) -> None:
    shape, da, db, dc = INSTRUCTIONS[name]
    rng = np.random.default_rng(5)

    def draw(*extents: int) -> np.ndarray:
        return rng.integers(-16, 17, extents) / (8 if dc is not np.int32 else 1)

    a, b = draw(shape.blocks, shape.m, shape.k).astype(da), draw(shape.blocks, shape.k, shape.m).astype(db)
    c = draw(shape.blocks, shape.m, shape.m).astype(dc)
    la, lb = np.zeros((64, shape.per_lane), da), np.zeros((64, shape.per_lane), db)
    lc, expected = np.zeros((64, shape.registers), dc), np.zeros((64, shape.registers), dc)
    wide = np.int64 if dc is np.int32 else np.float64
    d = np.matmul(a.astype(wide), b.astype(wide)) + c.astype(wide)
    for lane in range(64):
        for j in range(shape.per_lane):
            block, i, k = shape.a(lane, j)
            la[lane, j], lb[lane, j] = a[block, i, k], b[block, k, i]
        for r in range(shape.registers):
            lc[lane, r], expected[lane, r] = c[shape.c(lane, r)], d[shape.c(lane, r)]
    run = library.call(f"run_{name}", [la, lb, lc])
    assert run.status == 0 and run.findings == ()
    assert np.array_equal(lc, expected)
