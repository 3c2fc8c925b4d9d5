"""Assembly of goldens and of hand-written HIP read into a Program; what is not understood is refused by line."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.prove.emulate import kernels
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine.assembly import read
from tl2hip.prove.machine.operands import show
from tl2hip.prove.machine.program import Argument, NotUnderstood, Symbol

GOLDENS = sorted(path.parent.name for path in (Path(__file__).parents[3] / "golden").glob("*/kernel.hip"))

CONSTANTS = """
#include <hip/hip_runtime.h>
__constant__ float table[3] = {1.f, 2.5f, -3.f};
__constant__ unsigned char bytes[6] = {65, '"', 67, 0, '\\\\', 200};
__constant__ short shorts[2] = {-67, 300};
__device__ unsigned long long big = 0x0123456789abcdefull;
__device__ int zeros[8];
extern "C" __global__ void k(float* x, int n) {
    __shared__ float lds[32];
    lds[threadIdx.x % 32] = table[n];
    __syncthreads();
    x[threadIdx.x] = lds[n] + bytes[n] + shorts[n] + big + zeros[n];
}
"""


def golden(name: str) -> str:
    text = (Path(__file__).parents[3] / "golden" / name / "kernel.hip").read_text(encoding="utf-8")
    return compile_device(text).text


def decimal(line: str) -> str:
    return re.sub(r"\b0x[0-9a-f]+", lambda match: str(int(match[0], 16)), line)


@pytest.mark.parametrize("name", GOLDENS)
def test_every_instruction_of_a_golden_is_read_and_printed_back(name: str) -> None:
    text = golden(name)
    program = read(text)
    expected = {
        number: decimal(line.partition(";")[0].strip())
        for number, line in enumerate(text.split("\n"), 1)
        if re.match(r"\t[a-z]", line)
    }
    assert expected and [one.name for one in program.kernels] == re.findall(r"\.amdhsa_kernel (\S+)", text)
    assert {one.line: show(one) for kernel in program.kernels for one in kernel.code} == expected
    labels = sum(sum(name.startswith(".LBB") for name in kernel.labels) for kernel in program.kernels)
    assert labels == len(re.findall(r"^\.LBB\w+:", text, re.MULTILINE))


def test_a_kernel_of_a_matrix_product() -> None:
    kernel = read(golden("gemm")).kernels[0]
    assert (kernel.name, kernel.most_threads, kernel.lds, kernel.scratch) == ("gemm_kernel_aligned", 256, 32768, 0)
    assert kernel.arguments == (
        *(Argument(8 * i, 8, "global_buffer") for i in range(3)),
        *(Argument(8 * i, 8, "by_value") for i in range(3, 6)),
    )
    assert kernel.arguments_size == 48 and kernel.group_ids == (True, False, False) and kernel.thread_ids == 0
    assert 0 < kernel.vgprs <= 256 and 0 < kernel.sgprs <= 102 and kernel.agprs == 0
    first = kernel.code[kernel.labels[".LBB0_2"]]
    assert first.line == golden("gemm").split("\n").index(".LBB0_2:") + 2
    assert kernel.code[0].name == "s_load_dwordx4" and any(one.name == "s_endpgm" for one in kernel.code)


def test_hidden_arguments_and_two_thread_indices() -> None:
    (kernel,) = read(compile_device(kernels.TRANSPOSE).text).kernels
    assert kernel.thread_ids == 1 and kernel.group_ids == (True, True, False)
    (kernel,) = read(compile_device(kernels.BLOCK_SUM).text).kernels
    kinds = {one.kind: one.offset for one in kernel.arguments}
    assert kinds["hidden_block_count_x"] % 8 == 0 and kinds["hidden_group_size_x"] > kinds["hidden_block_count_x"]


def test_constants_are_their_bytes() -> None:
    program = read(compile_device(CONSTANTS).text)
    assert program.constants["table"] == bytes.fromhex("0000803f 00002040 000040c0")
    assert program.constants["bytes"] == b'A"C\0\\\xc8'
    assert program.constants["shorts"] == bytes.fromhex("bdff 2c01")
    assert program.constants["big"] == bytes.fromhex("efcdab8967452301")
    assert program.constants["zeros"] == bytes(32)
    used = {o.value for one in program.kernels[0].code for o in one.operands if isinstance(o.value, Symbol)}
    assert {Symbol("table", "rel32@lo", 4), Symbol("big", "rel32@hi", 12)} <= used
    assert program.kernels[0].lds == 128


NAME = "_Z12scale_kernelPKfPffi"


def small() -> str:
    return compile_device(kernels.SCALE).text


@pytest.mark.parametrize(
    "files",
    [
        ('0 "/tmp/a;b" "kernel.hip" md5 0x498cd22da2aa6fa6', '1 "/tmp" "include/device.h" md5 0x98a246e2743dc3e4'),
        ('0 "/tmp/a" "sub/kernel.hip"', '1 "device.h"'),
    ],
)
def test_lines_of_the_source(files: tuple[str, str]) -> None:
    body = small().split("\n")
    at = next(i for i, line in enumerate(body) if re.match(r"\t[a-z]", line))
    body[at : at + 1] = [
        f"\t.file\t{files[0]}",
        "\t.cfi_sections .debug_frame",
        f"\t.file\t{files[1]}",
        body[at],
        "\t.loc\t0 31 24 prologue_end            ; kernel.hip:31:24",
        body[at + 1],
        "\t.loc\t1 7 3 is_stmt 0                 ; device.h:7:3 @[ kernel.hip:31:24 ]",
        body[at + 2],
        "\t.loc\t0 32 1",
        body[at + 3],
        "\t.loc\t0 5 3                          ; kernel.hip:5:3 @[ device.h:9:1 @[ kernel.hip:40:24 ] ]",
    ] + body[at + 1 : at + 3]
    (kernel,) = read("\n".join(body)).kernels
    assert [one.source for one in kernel.code[:6]] == [0, 31, 0, 32, 5, 5]
    assert [one.within for one in kernel.code[:6]] == [0, 31, 31, 32, 40, 40]


def test_debug_sections_do_not_matter() -> None:
    data = '\t.byte 1\n\t.uleb128 .Ltmp2-.Ltmp1\n\t.asciz "a;b"\n'
    debug = f'\t.section\t.debug_info,"",@progbits\n.Lcu_begin0:\n{data}'
    assert read(small() + debug) == read(small())


def test_a_function_that_nothing_calls_is_no_kernel() -> None:
    text = kernels.SCALE + 'extern "C" __device__ __attribute__((used)) int twice(int x) { return 2 * x; }\n'
    assembly = compile_device(text).text
    assert "\ntwice:" in assembly and [one.name for one in read(assembly).kernels] == [NAME]


def test_a_kernel_that_calls_a_function_is_refused_by_that_call() -> None:
    function = "__attribute__((noinline)) __device__ int twice(int x) { return 2 * x; }\n"
    kernel = 'extern "C" __global__ void k(int *x) { x[0] = twice(x[1]); }\n'
    with pytest.raises(NotUnderstood, match="a call of a function: s_swappc_b64"):
        read(compile_device(f"#include <hip/hip_runtime.h>\n{function}{kernel}").text)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("\ts_endpgm\n", "\ts_endpgm gently\n", "the operand gently: s_endpgm gently"),
        ("\ts_endpgm\n", "\ts_swappc_b64 s[30:31], s[0:1]\n", "a call of a function: s_swappc_b64"),
        ("\ts_endpgm\n", "\ts_branch .LBB7_3\n", "the label .LBB7_3: s_branch"),
        ("\t.p2align\t8\n", "\t.balign\t256\n", "the directive .balign: .balign"),
        ("\t.p2align\t8\n", "\t.section\t.lds\n", "the directive .section .lds"),
        (".section\t.AMDGPU.csdata", ".section\t.strange", "the directive .section .strange"),
        ("--gfx942", "--gfx950", 'the directive .amdgcn_target "amdgcn-amd-amdhsa--gfx950"'),
        ("float_denorm_mode_32 3", "float_denorm_mode_32 0", ".amdhsa_float_denorm_mode_32 set to 0"),
        ("float_round_mode_32 0", "float_round_mode_32 1", ".amdhsa_float_round_mode_32 set to 1"),
        ("ieee_mode 1", "ieee_mode 0", "the descriptor's .amdhsa_ieee_mode set to 0"),
        ("user_sgpr_dispatch_ptr 0", "user_sgpr_dispatch_ptr 1", "the descriptor's .amdhsa_user_sgpr_dispatch_ptr"),
        ("user_sgpr_count 2", "user_sgpr_count 4", "the descriptor's .amdhsa_user_sgpr_count set to 4"),
        ("\t\t.amdhsa_tg_split 0\n", "", "a descriptor without .amdhsa_tg_split"),
        (".amdhsa_tg_split 0", ".amdhsa_tg_splice 0", "the descriptor's .amdhsa_tg_splice"),
        (".amdhsa_tg_split", ".amdhsa_ieee_mode", "the descriptor's .amdhsa_ieee_mode"),
        (f"\t.set {NAME}.num_agpr, 0\n", "", f"{NAME}.num_agpr set to nothing"),
        (f".set {NAME}.num_vgpr, ", f".set {NAME}.num_vgpr, max(1, a.num_vgpr)+", f"{NAME}.num_vgpr set to max("),
        (".value_kind:     by_value", ".value_kind:     image", "an argument"),
        (".wavefront_size: 64", ".wavefront_size: 32", "waves that are not 64 wide"),
        (".kernarg_segment_size: ", ".kernarg_segment_size: 1", ".kernarg_segment_size of the metadata is not"),
        (".sgpr_spill_count:", ".sgpr_thrill_count:", "the metadata's .sgpr_thrill_count"),
        (".address_space:", ".undress_space:", "the metadata's .undress_space"),
        ("\t.end_amdgpu_metadata\n", "", "no .end_amdgpu_metadata after this"),
        ("\t.end_amdhsa_kernel\n", "", "no .end_amdhsa_kernel after this"),
        (f"\n{NAME}:", "\nanother:", "the label another in the section .text"),
        ("\t.byte\t0 ", "\t.byte\ttable ", ".byte of table"),
        ("\t.byte\t0 ", "\t.octa\t0 ", "the directive .octa"),
        ("\t.size\t__hip_cuid_, 1", "\t.size\t__hip_cuid_, 2", "the directive .size __hip_cuid_, 2"),
        ('\t.ident\t"', '\t.ident\t""', "the quotes"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(old: str, new: str, what: str) -> None:
    read(small())
    assert old in small()
    text = small().replace(old, new, 1)
    with pytest.raises(NotUnderstood, match=re.escape(what)) as caught:
        read(text)
    assert caught.value.text.strip() in text.split("\n")[caught.value.line - 1]


def test_a_large_text_is_read_quickly() -> None:
    text = golden("gemm")
    read(text)  # the machine is warm, the caches too: what is measured is what every further text costs
    best = min(_seconds(text) for _ in range(3))
    assert best < 1e-4 * text.count("\n")


def _seconds(text: str) -> float:
    start = time.perf_counter()
    read(text)
    return time.perf_counter() - start
