"""The planner's matrix instructions against the emulated compute unit, which states shapes and lane maps itself."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.prove.emulate.kernels import HEAD
from tl2hip.dtypes import BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32
from tl2hip.plan.layout.linear import LANES, Layout
from tl2hip.plan.layout.mfma import MFMAS, Mfma, find
from tl2hip.prove.emulate import Emulator, Library

TYPES = {
    F16: np.float16, BF16: ml_dtypes.bfloat16, F32: np.float32, F64: np.float64, I8: np.int8, I32: np.int32,
    F8E4M3: ml_dtypes.float8_e4m3fnuz, F8E5M2: ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
BY_NAME = {x.builtin.removeprefix("__builtin_amdgcn_mfma_"): x for x in MFMAS}


def vector(c: str, width: int) -> str:
    return c if width == 1 else f"{c} __attribute__((ext_vector_type({width})))"


def text_of(name: str, x: Mfma) -> str:
    return f"""
typedef {vector(x.operand, x.width)} {name}_factor;
typedef {vector(x.result.c, x.result_slots)} {name}_sum;
__global__ void {name}_kernel(const char* a, const char* b, char* c) {{
    const int lane = threadIdx.x;
    {name}_factor x, y;
    {name}_sum s;
    __builtin_memcpy(&x, a + lane * sizeof x, sizeof x);
    __builtin_memcpy(&y, b + lane * sizeof y, sizeof y);
    __builtin_memcpy(&s, c + lane * sizeof s, sizeof s);
    s = {x.builtin}(x, y, s, 0, 0, 0);
    __builtin_memcpy(c + lane * sizeof s, &s, sizeof s);
}}
extern "C" hipError_t run_{name}(const char* a, const char* b, char* c, hipStream_t stream) {{
    hipLaunchKernelGGL({name}_kernel, dim3(1), dim3(64), 0, stream, a, b, c);
    return hipGetLastError();
}}
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return Emulator.load(HEAD + "".join(text_of(name, x) for name, x in BY_NAME.items()), detect=False)


def scatter(whole: np.ndarray[Any, Any], layout: Layout) -> np.ndarray[Any, Any]:
    """[lane][slot] of an array over the layout's axes."""
    held = [[whole[layout.at(slot, lane)] for slot in range(layout.slot_count)] for lane in range(LANES)]
    return np.array(held, whole.dtype)


def gather(held: np.ndarray[Any, Any], layout: Layout) -> np.ndarray[Any, Any]:
    """The array over the layout's axes, each element held once."""
    whole = np.zeros([layout.extent(name) for name in layout.names], held.dtype)
    filled = np.zeros(whole.shape, int)
    for lane in range(LANES):
        for slot in range(layout.slot_count):
            whole[layout.at(slot, lane)] = held[lane, slot]
            filled[layout.at(slot, lane)] += 1
    assert (filled == 1).all()
    return whole


@pytest.mark.parametrize("name", BY_NAME)
def test_layouts_are_those_of_the_emulator(library: Library, name: str) -> None:
    x = BY_NAME[name]
    rng = np.random.default_rng(7)
    scale = 1 if x.result is I32 else 8

    def draw(layout: Layout, dtype: type) -> np.ndarray[Any, Any]:
        return (rng.integers(-15, 16, [layout.extent(axis) for axis in layout.names]) / scale).astype(dtype)

    a, b = draw(x.first_layout, TYPES[x.first]), draw(x.second_layout, TYPES[x.second])
    c = draw(x.result_layout, TYPES[x.result])
    held = scatter(c, x.result_layout)
    run = library.call(f"run_{name}", [scatter(a, x.first_layout), scatter(b, x.second_layout), held])
    assert run.status == 0 and run.findings == ()
    wide = np.int64 if x.result is I32 else np.float64
    expected = np.matmul(a.astype(wide), b.astype(wide)) + c.astype(wide)
    assert np.array_equal(gather(held, x.result_layout), expected.astype(c.dtype))


def runtime_text(name: str) -> str:
    return (files("tl2hip.prove.emulate") / name).read_text("utf-8")


def test_shapes_and_types_are_those_of_the_emulator() -> None:
    """The rows of runtime/mfma.cpp, and the numbers that its header gives them."""
    types = {"Half": F16, "Brain": BF16, "float": F32, "Xf32": F32, "double": F64, "I8": I8, "int": I32}
    types |= {"Fp8": F8E4M3, "Bf8": F8E5M2}
    rows = re.findall(r"product<(\w+), (\w+), (\w+), (\d+), (\d+), (\d+), (\d+)>", runtime_text("runtime/mfma.cpp"))
    names = re.findall(r"TL2HIP_MFMA\((\d+), (\w+), ", runtime_text("include/tl2hip/host.h"))
    theirs = {
        name: (types[a], types[b], types[d], *map(int, numbers), "Xf32" in (a, b))
        for number, name in names
        for a, b, d, *numbers in [rows[int(number)]]
    }
    ours = {n: (x.first, x.second, x.result, x.m, x.k, x.blocks, x.run, x.asked) for n, x in BY_NAME.items()}
    assert len(rows) == len(MFMAS) and ours == theirs


def test_operands_fill_their_registers() -> None:
    for x in MFMAS:
        c_bytes = {"_Float16": 2, "short": 2, "float": 4, "double": 8, "long": 8}[x.operand]
        assert x.per_lane * x.first.bytes == x.per_lane * x.second.bytes == x.width * c_bytes, x.builtin


def test_rates() -> None:
    """Multiplications in a clock of a SIMD; small ones run at half the rate, save f32's."""
    full = {F16: 256, BF16: 256, I8: 512, F8E4M3: 512, F8E5M2: 512, F32: 32, F64: 32}
    half = {"f32_4x4x4f16", "f32_4x4x4bf16_1k", "f64_4x4x4f64"}
    for name, x in BY_NAME.items():
        rate = 128 if x.asked else full[x.first]
        assert x.macs / x.clocks == (rate / 2 if name in half else rate), name


def test_find() -> None:
    found = find(BF16, BF16, F32, 16)
    assert found is not None and found.builtin == "__builtin_amdgcn_mfma_f32_16x16x16bf16_1k"
    plain, rounded = find(F32, F32, F32, 32), find(F32, F32, F32, 32, asked=True)
    assert plain is not None and plain.k == 2 and rounded is not None and rounded.k == 4
    assert find(F16, BF16, F32, 32) is None and find(F64, F64, F64, 32) is None
