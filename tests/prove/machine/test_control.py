"""Branches, barriers, the end of waves, and what a kernel finds at its start."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.prove.machine.assembled import GIVEN, LAUNCHER, START, clean, kinds, library, program, run
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.program import Argument, Kernel, NotUnderstood, Program

NONE = np.zeros(1, np.uint32)
STORE = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_store_dword v4, v10, s[6:7]"


@pytest.mark.parametrize(
    ("set_", "branch", "taken"),
    [
        ("s_nop 0", "s_branch", True),
        ("s_cmp_eq_u32 s8, 3", "s_cbranch_scc1", True),
        ("s_cmp_eq_u32 s8, 4", "s_cbranch_scc1", False),
        ("s_cmp_eq_u32 s8, 4", "s_cbranch_scc0", True),
        ("s_cmp_eq_u32 s8, 3", "s_cbranch_scc0", False),
        ("s_mov_b64 vcc, 0", "s_cbranch_vccz", True),
        ("s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, 1", "s_cbranch_vccz", False),
        ("s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, 1", "s_cbranch_vccnz", True),
        ("s_mov_b64 vcc, 0", "s_cbranch_vccnz", False),
        ("s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0", "s_cbranch_execz", True),
        ("s_mov_b64 s[20:21], exec\ns_mov_b32 exec_lo, 0", "s_cbranch_execz", False),
        ("s_mov_b64 s[20:21], exec\ns_mov_b32 exec_lo, 0", "s_cbranch_execnz", True),
        ("s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0", "s_cbranch_execnz", False),
    ],
)
def test_branches(set_: str, branch: str, taken: bool) -> None:
    back = "s_mov_b64 exec, s[20:21]" if "exec" in set_ else ""
    lines = f"""
    {set_}
    {branch} .Lto
    {back}
    v_mov_b32_e32 v10, 1
    s_branch .Lend
    .Lto:
    {back}
    v_mov_b32_e32 v10, 2
    .Lend:
    {STORE}
    """
    out = clean(lines, NONE, np.zeros(64, np.uint32), n=3)
    assert np.all(out == (2 if taken else 1))


def test_a_loop_of_lanes_that_leave_one_after_the_other() -> None:
    lines = f"""
    v_mov_b32_e32 v10, 0
    s_mov_b64 s[20:21], 0
    .Lagain:
    v_add_u32_e32 v10, 3, v10
    v_cmp_ge_u32_e32 vcc, v10, v0
    s_or_b64 s[20:21], vcc, s[20:21]
    s_andn2_b64 exec, exec, s[20:21]
    s_cbranch_execnz .Lagain
    s_or_b64 exec, exec, s[20:21]
    {STORE}
    """
    out = clean(lines, NONE, np.zeros(64, np.uint32))
    lane = np.arange(64)
    assert np.array_equal(out, np.maximum(3, -(-lane // 3) * 3))


def test_what_is_a_matter_of_time_changes_nothing() -> None:
    out = clean(f"v_mov_b32_e32 v10, v0\ns_setprio 3\ns_sleep 2\ns_nop 7\n{STORE}", NONE, np.zeros(64, np.uint32))
    assert np.array_equal(out, np.arange(64))


def test_waves_take_turns_at_barriers() -> None:
    """Each wave writes its number behind those of the waves before it, as many times as there are waves."""
    lines = """
    v_readfirstlane_b32 s10, v0
    s_lshr_b32 s10, s10, 6
    s_mov_b32 s11, 0
    v_lshlrev_b32_e32 v4, 2, v0
    .Lturn:
    s_cmp_eq_u32 s10, s11
    s_cbranch_scc0 .Lnot_mine
    v_mov_b32_e32 v5, 0
    ds_read_b32 v6, v5
    s_waitcnt lgkmcnt(0)
    v_add_u32_e32 v6, 1, v6
    ds_write_b32 v5, v6
    s_waitcnt lgkmcnt(0)
    .Lnot_mine:
    s_barrier
    s_add_u32 s11, s11, 1
    s_cmp_lt_u32 s11, 4
    s_cbranch_scc1 .Lturn
    v_mov_b32_e32 v5, 0
    ds_read_b32 v10, v5
    s_waitcnt lgkmcnt(0)
    global_store_dword v4, v10, s[6:7]
    """
    first = """
    v_mov_b32_e32 v5, 0
    v_cmp_eq_u32_e32 vcc, 0, v0
    s_and_saveexec_b64 s[20:21], vcc
    ds_write_b32 v5, v5
    s_mov_b64 exec, s[20:21]
    s_waitcnt lgkmcnt(0)
    s_barrier
    """
    out = clean(first + lines, NONE, np.zeros(256, np.uint32), threads=(256,))
    assert np.all(out == 4)


def test_a_wave_that_has_ended_is_not_waited_for() -> None:
    lines = """
    v_readfirstlane_b32 s10, v0
    s_cmp_lt_u32 s10, 64
    s_cbranch_scc1 .Lend
    s_barrier
    s_barrier
    v_lshlrev_b32_e32 v4, 2, v0
    global_store_dword v4, v0, s[6:7]
    .Lend:
    """
    out = clean(lines, NONE, np.zeros(192, np.uint32), threads=(192,))
    assert np.array_equal(out, [*[0] * 64, *range(64, 192)])


def test_a_barrier_that_some_lanes_of_a_wave_do_not_reach_is_told() -> None:
    lines = "v_cmp_gt_u32_e32 vcc, 5, v0\ns_and_saveexec_b64 s[20:21], vcc\ns_barrier"
    ran = run(lines, NONE, np.zeros(1, np.uint32))
    assert kinds(ran) == ["divergent_barrier"] and ran.findings[0].thread == 5
    ran = run("s_barrier", NONE, np.zeros(1, np.uint32), threads=(37,))
    assert not ran.findings


def test_the_indices_of_blocks_and_threads() -> None:
    """Each thread stores its packed index and its block's three, at its number in the grid."""
    lines = """
    v_bfe_u32 v1, v0, 0, 10
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    v_mul_u32_u24_e32 v3, 3, v3
    v_add_u32_e32 v2, v2, v3
    v_mul_u32_u24_e32 v2, 5, v2
    v_add_u32_e32 v1, v1, v2
    s_mul_i32 s12, s4, 3
    s_add_u32 s12, s12, s3
    s_mul_i32 s12, s12, 2
    s_add_u32 s12, s12, s2
    s_mul_i32 s12, s12, 30
    v_add_lshl_u32 v1, v1, s12, 4
    v_mov_b32_e32 v10, v0
    v_mov_b32_e32 v11, s2
    v_mov_b32_e32 v12, s3
    v_mov_b32_e32 v13, s4
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    global_store_dwordx4 v1, v[10:13], s[6:7]
    s_endpgm
    """
    made = program(lines, group_ids=(True, True, True), thread_ids=2)
    shape = np.array([[2, 3, 4], [5, 3, 2]], np.uint32)
    out = np.zeros((4, 3, 2, 2, 3, 5, 4), np.uint32)
    with MachineLibrary(LAUNCHER, program=made) as library:
        ran = library.call("launch", [NONE, out, np.uint32(0), shape])
    assert ran.status == 0 and not ran.findings
    z, y, x = np.meshgrid(range(2), range(3), range(5), indexing="ij")
    assert np.all(out[..., 0] == (x | y << 10 | z << 20))
    blocks = np.stack(np.meshgrid(range(4), range(3), range(2), indexing="ij")[::-1], -1)
    assert np.all(out[..., 1:] == blocks[:, :, :, None, None, None])


def test_hidden_arguments() -> None:
    names = [f"hidden_{what}_{axis}" for what in ("block_count", "group_size", "remainder") for axis in "xyz"]
    sizes = [4, 4, 4, *[2] * 6]
    arguments = list(GIVEN)
    at = 24
    for name, size in zip(names, sizes, strict=True):
        arguments.append(Argument(at, size, name))
        at += size
    arguments += [Argument(72 + 8 * k, 8, f"hidden_global_offset_{axis}") for k, axis in enumerate("xyz")]
    arguments.append(Argument(96, 2, "hidden_grid_dims"))
    loads = "\n".join(f"s_load_dword s{10 + k}, s[0:1], {24 + 4 * k}" for k in range(6))
    stores = "\n".join(
        f"v_mov_b32_e32 v2, s{10 + k}\nglobal_store_dword v1, v2, s[6:7] offset:{4 * k}" for k in range(8)
    )
    lines = f"""
    {loads}
    s_load_dword s16, s[0:1], 0x48
    s_load_dword s17, s[0:1], 0x60
    s_waitcnt lgkmcnt(0)
    s_and_b32 s17, s17, 0xffff
    v_mov_b32_e32 v1, 0
    {stores}
    """
    out = np.zeros(8, np.uint32)
    how = {"blocks": (7, 2), "threads": (64,), "arguments": tuple(arguments), "arguments_size": 104}
    ran = run(lines, NONE, out, group_ids=(False, False, False), **how)
    assert ran.status == 0 and {"race"} == set(kinds(ran))  # the blocks all write the same
    assert out.tolist() == [7, 2, 1, 64 | 1 << 16, 1, 0, 0, 2]


def test_constants_are_found_by_their_names() -> None:
    lines = f"""
    s_getpc_b64 s[10:11]
    s_add_u32 s10, s10, table@rel32@lo+12
    s_addc_u32 s11, s11, table@rel32@hi+20
    v_lshlrev_b32_e32 v4, 2, v0
    global_load_dword v10, v4, s[10:11]
    s_load_dword s12, s[10:11], 0x4
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_u32_e32 v10, s12, v10
    {STORE}
    """
    table = np.arange(500, 566, dtype=np.uint32)
    constants = {"other": b"abc", "table": table.tobytes()}
    out = clean(lines, NONE, np.zeros(64, np.uint32), constants=constants)
    assert np.array_equal(out, table[2:] + table[3])
    ran = run(lines, NONE, np.zeros(64, np.uint32), constants={"table": table[:65].tobytes()})
    assert kinds(ran) == ["out_of_bounds"] and ran.findings[0].thread == 63
    ran = run(f"{lines}\nglobal_store_dword v4, v10, s[10:11]", NONE, np.zeros(64, np.uint32), constants=constants)
    assert kinds(ran) == ["out_of_bounds"]


def test_a_program_that_does_not_end_is_given_up() -> None:
    ran = run(".Lhere:\ns_nop 0\ns_branch .Lhere", NONE, np.zeros(1, np.uint32), seconds=1)
    assert ran.status == 719 and kinds(ran) == ["hang"] and ran.findings[0].code in ("s_nop 0", "s_branch .Lhere")


@pytest.mark.parametrize(("threads", "most"), [((65,), 64), ((1025,), 1024)])
def test_a_block_of_more_threads_than_the_kernel_is_compiled_for(threads: tuple[int, ...], most: int) -> None:
    ran = run("s_nop 0", NONE, np.zeros(1, np.uint32), threads=threads, most_threads=most)
    assert ran.status == 9 and kinds(ran) == ["invalid_launch"]


def test_a_kernel_of_other_arguments_or_another_name_is_not_launched() -> None:
    ran = run("s_nop 0", NONE, np.zeros(1, np.uint32), arguments=GIVEN[:2], arguments_size=16)
    assert ran.status == 9 and kinds(ran) == ["invalid_launch"]
    (kernel,) = program("s_endpgm").kernels
    named = Program((Kernel(**{one: getattr(kernel, one) for one in Kernel.__slots__} | {"name": "another"}),))
    with MachineLibrary(LAUNCHER, program=named) as library:
        ran = library.call("launch", [NONE, NONE.copy(), np.uint32(0), np.ones((2, 3), np.uint32)])
    assert ran.status == 98 and kinds(ran) == ["invalid_launch"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("v_readfirstlane_b32 s20, 5", "an operand that is no row"),
        ("v_readfirstlane_b32_dpp s20, v1 row_shl:1 row_mask:0xf bank_mask:0xf", "the encoding dpp"),
        ("s_add_u32_e64 s0, s1, s2", "the encoding e64"),
        ("v_swap_b32_e64 v0, v1", "the encoding e64"),
        ("v_swap_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf", "the encoding dpp"),
        ("v_fma_f32_sdwa v0, v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD", "the encoding sdwa"),
        ("v_pk_mul_f32_dpp v[0:1], v[2:3], v[4:5] row_shl:1 row_mask:0xf bank_mask:0xf", "the encoding dpp"),
        ("v_add_u32_e64 v0, -v1, v2", "the change of an operand"),
        ("v_and_b32_e64 v0, |v1|, v2", "the change of an operand"),
        ("v_pk_add_f16 v0, -v1, v2", "the change of an operand"),
        ("v_pk_add_u16 v0, v1, v2 neg_lo:[1,0]", "the modifier neg_lo"),
        ("v_fma_mix_f32 v0, v1, v2, v3 neg_lo:[1,0,0]", "the modifier neg_lo"),
        ("v_fma_mix_f32 v0, v1, 1.0, v2 op_sel_hi:[0,1,0]", "a constant that is read as f16"),
        ("v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel_hi:[0,1]", "the modifier op_sel_hi"),
        ("v_pack_b32_f16 v0, v1, v2 op_sel:[0,0,1]", "the modifier op_sel"),
        ("v_mul_f32_e64 v0, v1, v2 mul:2 div:2", "two scales"),
        ("v_mov_b32_sdwa v0, v1 src0_sel:WORD_1", "what becomes of the rest of the result"),
        ("s_mov_b32 s0, 0x123456789", "has more than 32 bits"),
        ("v_lshlrev_b16_e32 v0, 1.0, v1", "cannot be 1.0"),
        ("s_ashr_i64 s[0:1], 0x80000000, s2", "is negative is not said"),
        ("ds_read_b32 v0, v1 offset:-4", "an offset that the instruction has no room for"),
        ("ds_read_b32 v0, v1 offset:70000", "an offset that the instruction has no room for"),
        ("flat_load_dword v0, v[2:3] offset:-8", "an offset that the instruction has no room for"),
        ("global_load_dword v0, v[2:3], off offset:4096", "an offset that the instruction has no room for"),
        ("s_load_dword s0, s[2:3], 0x100000", "an offset that the instruction has no room for"),
    ],
)
def test_what_an_instruction_does_not_have_is_refused(line: str, said: str) -> None:
    with pytest.raises(NotUnderstood, match=re.escape(said)):
        library(line)


def test_the_high_half_of_packed_bytes_is_encoded() -> None:
    library("v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]").close()


def test_arguments_outside_their_segment_are_refused() -> None:
    with pytest.raises(NotUnderstood, match="outside its segment"):
        library("", arguments_size=16)


def test_plain_and_detecting_runs_know_lds_alike() -> None:
    lines = """
    s_mov_b64 s[20:21], src_shared_base
    v_lshlrev_b32 v2, 2, v0
    v_mov_b32 v3, s21
    flat_store_dword v[2:3], v0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_barrier
    flat_load_dword v4, v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    """
    for detect in (False, True, False, True):
        ran = run(lines, np.zeros(1, np.uint32), np.zeros(1, np.uint32), detect=detect, threads=(128,))
        assert ran.status == 0 and not ran.findings, (detect, [str(one) for one in ran.findings])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("v_frobnicate_b32 v1, v2", "the instruction v_frobnicate_b32"),
        ("s_branch 4", "the operands"),
        ("s_nop s3", "the operands"),
        ("s_setprio 0 nt", "the operands"),
        ("global_load_dword v[2:3], v4, s[4:5]", "an operand that is not 1 vector register"),
        ("global_load_dword v1, v4, s[4:5] offen", "the modifier offen"),
        ("global_load_dword v1, v[4:5], s[4:5]", "an operand that is not 1 vector register"),
        ("global_load_dword v1, v4", "the operands, which are too few"),
        ("global_atomic_add v1, v4, v5, s[4:5]", "an operand that is not 2 scalar registers"),
        ("global_load_dword v1, v4, s[4:5] lds", "the instruction global_load_dword"),
        ("ds_read_b32 v1, v2, v3", "the operands, which are more than 2"),
        ("ds_read_b32 v1, v2 offset0:4", "the modifier offset0"),
        ("ds_read2_b32 v[2:3], v2 offset:4", "the modifier offset"),
        ("ds_swizzle_b32 v1, v2 offset:0xc800", "a swizzle with bits that say nothing"),
        ("ds_swizzle_b32 v1, v2 offset:0x8100", "a swizzle with bits that say nothing"),
        ("ds_swizzle_b32 v1, v2 offset:0xe020", "a swizzle with bits that say nothing"),
        ("v_sin_f32_e32 v1, v2", "the instruction v_sin_f32"),
        ("v_cos_f32_e32 v1, v2", "the instruction v_cos_f32"),
        ("v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", "the instruction v_smfmac_f32_16x16x32_f16"),
        ("s_swappc_b64 s[30:31], s[10:11]", "the instruction s_swappc_b64"),
        ("s_setpc_b64 s[30:31]", "the instruction s_setpc_b64"),
        ("s_buffer_load_dword s1, s[4:7], 0x0", "the instruction s_buffer_load_dword"),
        ("buffer_load_dword v1, v2, s[4:7], 0", "an address without offen"),
        ("s_load_dword s1, s[4:5], 0x0 nt", "the modifier nt"),
        ("s_load_dword v1, s[4:5], 0x0", "an operand that is not 1 scalar register"),
        ("s_mov_b32 s4, table@rel32@lo+4", "the address table@rel32@lo here"),
        ("s_mov_b32 s4, another@rel32@lo+4", "the address another@rel32@lo"),
        ("v_add_f32_e32 v1, v2", "2 operands, not 3"),
        ("v_add_f32_e32 v1, v[2:3], v4", "an operand that is no f32"),
        ("v_add_f32_e32 s1, v2, v4", "the result, which is no f32"),
        ("s_add_u32 s1, v2, s4", "an operand that is no u32"),
        ("v_add_f32_e64 v1, v2, v4 op_sel:[1,0,0]", "the modifier op_sel here"),
        ("v_and_b32_e64 v1, v2, v4 clamp", "the modifier clamp here"),
        ("v_and_b32_e64 v1, v2, v4 mul:2", "the modifier mul here"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_line(line: str, said: str) -> None:
    made = program(f"{START.strip()}\n{line}\ns_endpgm", {"table": b"1234"})
    with pytest.raises(NotUnderstood) as caught:
        MachineLibrary(LAUNCHER, program=made)
    assert (caught.value.line, caught.value.text, caught.value.what) == (4, line, said)


def test_a_kernel_that_goes_on_behind_its_end_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="the end of k, which goes on"):
        MachineLibrary(LAUNCHER, program=program("s_nop 0"))
    with pytest.raises(NotUnderstood, match="an argument of k of the kind hidden_heap_v1"):
        MachineLibrary(LAUNCHER, program=program("s_endpgm", arguments=(*GIVEN, Argument(24, 8, "hidden_heap_v1"))))
    with pytest.raises(NotUnderstood, match="behind the last instruction"):
        MachineLibrary(LAUNCHER, program=program("s_branch .Lend\n.Lend:"))
