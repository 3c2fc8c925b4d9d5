"""Counters read from the compiler's own assembly, and from short hand-written pieces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.control_flow import find_loops, read_blocks
from tl2hip.prove.counters import Loop, classify, mix, read_counters, source_name

from .emulate import kernels
from .emulate.kernels import HEAD, planted


def test_a_tile_through_lds() -> None:
    (kernel,) = read_counters(compile_device(kernels.TRANSPOSE).text)
    assert (kernel.name, kernel.lds_bytes, kernel.threads) == ("transpose_kernel", 32 * 33 * 4, 256)
    assert (kernel.agprs, kernel.vgpr_spills, kernel.sgpr_spills, kernel.scratch_bytes) == (0, 0, 0, 0)
    assert kernel.occupancy == 8 and 0 < kernel.vgprs <= 64 and kernel.sgprs > 0
    assert kernel.whole.barriers == 1 and kernel.whole.global_loads == {"dword": 4}
    assert kernel.whole.global_stores == {"dword": 4}
    assert kernel.problems() == () and kernel.warnings() == ()


def test_the_hot_loop_of_a_matrix_product() -> None:
    (kernel,) = read_counters(compile_device(kernels.GEMM).text)
    assert kernel.hot is not None and kernel.hot.own.mfma == 1 and kernel.hot.innermost
    assert kernel.hot.own.global_loads == {"dwordx2": 1, "ushort": 4}
    assert kernel.hot.own.drains == 1 and kernel.hot.own.barriers == 0


def test_a_loop_with_a_barrier() -> None:
    (kernel,) = read_counters(compile_device(kernels.BLOCK_SUM).text)
    (loop,) = kernel.loops
    assert loop.own.global_loads == {"dword": 1} and loop.own.branches == 1
    assert kernel.whole.barriers == 8  # the tree is unrolled


def _loop(label: str, depth: int, mfma: int, memory: int, innermost: bool) -> Loop:
    code = ["v_mfma_f32_16x16x16_f16 v0, v1, v2, v0"] * mfma + ["global_load_dword v0, v1, s[0:1]"] * memory
    return Loop(label, depth, innermost, mix(code), mix(code), tuple(code))


@pytest.mark.parametrize(
    ("loops", "hot"),
    [
        ([_loop("outer", 1, 9, 9, False), _loop("inner", 2, 4, 0, True)], "inner"),
        ([_loop("outer", 1, 4, 0, False), _loop("inner", 2, 0, 9, True)], "outer"),
        ([_loop("first", 1, 0, 3, True), _loop("second", 1, 0, 4, True)], "second"),
        ([_loop("outer", 1, 0, 3, False), _loop("inner", 2, 0, 3, True)], "inner"),
    ],
)
def test_the_loop_that_matters(loops: list[Loop], hot: str) -> None:
    (kernel,) = read_counters(compile_device(kernels.SCALE).text)
    chosen = replace(kernel, loops=tuple(loops)).hot
    assert chosen is not None and chosen.label == hot


def test_nested_loops_have_depths() -> None:
    text = (
        HEAD
        + """
__global__ void nest_kernel(const float* x, float* y, int n, int m) {
    float s = 0.0f;
#pragma clang loop unroll(disable)
    for (int i = 0; i < n; ++i) {
        float t = 0.0f;
#pragma clang loop unroll(disable)
        for (int j = 0; j < m; ++j) t = t * 0.5f + x[(i * m + j) * 64 + threadIdx.x];
        y[i * 64 + threadIdx.x] = t;
    }
}
"""
    )
    (kernel,) = read_counters(compile_device(text).text)
    outer, inner = kernel.loops
    assert (outer.depth, outer.innermost, inner.depth, inner.innermost) == (1, False, 2, True)
    assert outer.all.global_loads == inner.own.global_loads == {"dword": 1} and outer.own.global_loads == {}
    assert outer.own.global_stores == {"dword": 1}
    assert kernel.hot == inner


def test_a_call_to_nothing_is_a_problem() -> None:
    text = planted(kernels.SCALE, "by * x[i]", "__builtin_tanhf(x[i])")
    text = planted(text, "__builtin_tanhf", "mystery").replace(
        "__global__", 'extern "C" __device__ float mystery(float);\n__global__', 1
    )
    (kernel,) = read_counters(compile_device(text).text)
    assert kernel.undefined == ("mystery",) and kernel.calls == 1
    assert kernel.problems() == ("scale_kernel calls mystery, which gfx942 does not have",)


def test_a_call_that_is_not_inlined_is_a_problem() -> None:
    helper = "__device__ __noinline__ float twice(float x) { return x + x; }\n__global__"
    text = planted(planted(kernels.SCALE, "by * x[i]", "twice(x[i])"), "__global__", helper)
    (kernel,) = read_counters(compile_device(text).text)
    assert kernel.undefined == () and "makes 1 calls" in kernel.problems()[0]


def test_a_constant_table_is_no_call() -> None:
    text = planted(kernels.SCALE, "by * x[i]", "table[i % 5] * x[i]")
    text = planted(text, "__global__", "static __device__ const float table[5] = {1, 5, 2, 7, 3};\n__global__")
    (kernel,) = read_counters(compile_device(text).text)
    assert kernel.undefined == () and kernel.problems() == ()


def test_spills_and_scratch_are_warnings() -> None:
    body = "float a[300]; for (int k = 0; k < 300; ++k) a[k] = x[(i + k) % n]; float s = 0; \
            for (int k = 0; k < 300; ++k) s = s * 0.5f + a[(k * 7 + n) % 300]; y[i] = s;"
    (kernel,) = read_counters(compile_device(planted(kernels.SCALE, "y[i] = by * x[i];", f"{{ {body} }}")).text)
    assert kernel.scratch_bytes >= 1200 and "scratch memory" in kernel.warnings()[-1]


def test_text_without_kernels_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernel"):
        read_counters("\ts_endpgm\n")


@pytest.mark.parametrize(
    ("operation", "kind", "width"),
    [
        ("v_mfma_f32_32x32x8_f16", "mfma", ""), ("v_fma_f32", "valu", ""), ("s_add_i32", "salu", ""),
        ("s_load_dwordx4", "smem", ""), ("s_waitcnt", "wait", ""), ("s_barrier", "barrier", ""),
        ("s_cbranch_scc1", "branch", ""), ("s_nop", "nop", ""), ("s_setprio", "hint", ""),
        ("global_load_dwordx4", "gl", "dwordx4"), ("buffer_load_dwordx2", "gl", "dwordx2"),
        ("global_load_short_d16_hi", "gl", "short"), ("global_store_short", "gs", "short"),
        ("global_atomic_add_f32", "atomic", ""), ("flat_store_dword", "gs", "dword"),
        ("scratch_load_dword", "scratch", ""), ("ds_read_b128", "lr", "b128"), ("ds_read2_b64", "lr", "2xb64"),
        ("ds_write2st64_b32", "lw", "2xb32"), ("ds_read_u16_d16_hi", "lr", "u16"), ("ds_write_b16", "lw", "b16"),
        ("ds_bpermute_b32", "exchange", ""), ("ds_add_u32", "lds_other", ""), ("buffer_inv", "cache", ""),
    ],
)  # fmt: skip
def test_kinds(operation: str, kind: str, width: str) -> None:
    assert classify(operation) == (kind, width)


def test_an_unknown_instruction_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown instruction image_sample"):
        mix(["image_sample v0, v1"])


def test_a_branch_back_to_shared_code_is_no_loop() -> None:
    blocks = read_blocks(["s_cbranch_scc1 far", "near:", "s_nop 0", "s_endpgm", "far:", "s_nop 1", "s_branch near"])
    assert find_loops(blocks) == ()


def test_mangled_names() -> None:
    assert source_name("_Z11gemm_kernelPKDF16_S0_Pfii") == "gemm_kernel"
    assert source_name("_Z4castIfdEvPKT0_PT_") == "cast"
    assert source_name("plain_name") == "plain_name"
