"""Matrix instructions and steady states, on short pieces of assembly."""

from __future__ import annotations

import pytest

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.matrix import Matrix, matrix, pipeline

from .emulate import kernels

PRODUCT = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"  # 16 clocks
LOAD = "buffer_load_dwordx4 v[8:11], v1, s[0:3], 0 offen"


@pytest.mark.parametrize(
    ("operation", "clocks"),
    [
        ("f32_32x32x8_f16", 32), ("f32_16x16x16_f16", 16), ("f32_32x32x8_bf16_1k", 32), ("f32_16x16x16_bf16", 16),
        ("f32_32x32x16_fp8_bf8", 32), ("f32_16x16x32_bf8_bf8", 16), ("i32_32x32x16_i8", 32),
        ("i32_16x16x32_i8", 16), ("f32_32x32x4_xf32", 32), ("f32_16x16x8_xf32", 16), ("f32_32x32x2_f32", 64),
        ("f32_16x16x4_f32", 32), ("f64_16x16x4_f64", 32), ("f64_4x4x4_4b_f64", 16), ("f32_32x32x4_2b_f16", 64),
        ("f32_16x16x4_4b_f16", 32), ("f32_4x4x4_16b_f16", 8), ("f32_32x32x1_2b_f32", 64),
    ],
)  # fmt: skip
def test_clocks(operation: str, clocks: int) -> None:
    found = matrix(f"v_mfma_{operation} a[0:3], v0, v1, a[0:3]")
    assert found is not None and found.clocks == clocks


def test_operations() -> None:
    assert matrix(PRODUCT) == Matrix(2 * 16**3, 16)
    assert matrix("v_add_f32 v0, v1, v2") is None
    with pytest.raises(ValueError, match="unknown matrix instruction v_mfma_f32_16x16x16_i3"):
        matrix("v_mfma_f32_16x16x16_i3 v0, v1, v2, v3")


def test_a_load_that_is_waited_for_at_once_covers_nothing() -> None:
    found = pipeline([LOAD, "s_waitcnt vmcnt(0)", PRODUCT, PRODUCT])
    assert (found.instructions, found.mfma, found.clocks, found.distance, found.covered) == (4, 2, 32, 0, 0)
    assert found.drains == 1 and found.per_1024 == 128 and found.share == 0.5


def test_a_load_of_the_next_turn_is_in_flight_over_all_products() -> None:
    found = pipeline(["loop:", "s_waitcnt vmcnt(0) lgkmcnt(1)", LOAD, PRODUCT, PRODUCT])
    assert (found.distance, found.covered) == (32, 2)
    assert found.waits == {"lgkmcnt(1)": 1, "vmcnt(0)": 1} and found.lds_drains == 0


def test_waits_for_some_loads_end_the_oldest_first() -> None:
    found = pipeline([LOAD, PRODUCT, LOAD, PRODUCT, "s_waitcnt vmcnt(1)"])
    assert (found.distance, found.covered) == (32, 2)  # the second load of a turn ends a turn later
    assert pipeline([LOAD, PRODUCT]).distance is None


def test_stores_count_among_the_accesses() -> None:
    store = "global_store_dwordx4 v0, v[8:11], s[0:1]"
    assert pipeline([LOAD, store, PRODUCT, "s_waitcnt vmcnt(1)", PRODUCT]).distance == 16
    assert pipeline([store, LOAD, PRODUCT, "s_waitcnt vmcnt(1)", PRODUCT]).distance == 48


def test_the_loop_of_a_compiled_product() -> None:
    (kernel,) = read_counters(compile_device(kernels.GEMM).text)
    assert kernel.hot is not None
    found = pipeline(kernel.hot.code)
    assert (found.mfma, found.clocks, found.operations) == (1, 16, 8192)
    assert found.instructions == kernel.hot.own.total and found.drains == kernel.hot.own.drains
    assert found.distance == 0 and found.operations_per_instruction == 8192 / found.instructions
