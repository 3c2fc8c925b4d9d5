"""Every form of operand and modifier, read and printed back; anything else refused by name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tl2hip.prove.compiler import TARGET, compiler
from tl2hip.prove.machine.operands import read, show
from tl2hip.prove.machine.program import (
    Constant,
    Label,
    NotUnderstood,
    Operand,
    Scalar,
    Scc,
    Symbol,
    Value,
    Vector,
    Word,
)

LINES = """
    s_barrier
    s_nop 1
    s_set_gpr_idx_on s1, gpr_idx(SRC0,DST)
    s_set_gpr_idx_off
    s_endpgm
    s_branch .LBB0_2
    s_mov_b32 m0, -1
    s_mov_b32 s3, vcc_hi
    s_mov_b32 vcc_lo, s101
    s_mov_b64 exec, s[2:3]
    s_mov_b64 s[2:3], src_shared_base
    s_mul_hi_u32 s1, exec_lo, exec_hi
    s_add_u32 s8, s8, table@rel32@lo+4
    s_addc_u32 s9, s9, _ZL17two_over_pi_bits@rel32@hi+12
    s_mov_b32 s4, table@abs32@lo
    s_load_dwordx16 s[4:19], s[20:21], 64
    s_load_dword s4, s[0:1], s2 offset:8 glc
    s_waitcnt vmcnt(3) lgkmcnt(0)
    s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(15)
    s_cselect_b32 s1, 1, src_scc
    v_mov_b32_e32 v5, 0.15915494
    v_mov_b32_e32 v5, -4.0
    v_mov_b32_e32 v255, a255
    v_mov_b64_e32 v[2:3], s[2:3]
    v_fma_f64 v[0:1], -v[2:3], |v[4:5]|, -|s[0:1]| clamp mul:2
    v_mul_f32_e64 v1, |s3|, -s4 mul:4
    v_mul_f32_e64 v1, -vcc_lo, 0.5 div:2
    v_cndmask_b32_e64 v1, -v2, v3, s[0:1]
    v_add_co_u32_e32 v1, vcc, 16, v2
    v_min_i16_sdwa v1, sext(v2), sext(v3) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:WORD_0
    v_or_b32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:BYTE_0
    v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:15 bank_mask:15 bound_ctrl:1
    v_mov_b32_dpp v1, v2 row_half_mirror row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 row_mirror row_mask:10 bank_mask:15
    v_mov_b32_dpp v1, v2 row_shl:1 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 row_shr:15 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 row_ror:4 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 row_bcast:31 row_mask:12 bank_mask:15
    v_mov_b32_dpp v1, v2 row_newbcast:0 row_mask:15 bank_mask:0
    v_mov_b32_dpp v1, v2 wave_shl:1 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 wave_shr:1 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 wave_rol:1 row_mask:15 bank_mask:15
    v_mov_b32_dpp v1, v2 wave_ror:1 row_mask:15 bank_mask:15
    v_pk_add_f16 v1, v2, v3 op_sel:[0,1] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
    v_fma_mix_f32 v1, v2, -v3, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0]
    v_mad_u16 v1, v2, v3, v4 op_sel:[0,0,0,1]
    v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[4:5], a[0:3]
    v_mfma_f32_4x4x4_16b_f16 a[0:3], v[2:3], v[4:5], a[0:3] cbsz:4 abid:15 blgp:7
    ds_read2_b64 v[4:7], v1 offset0:4 offset1:255
    ds_write_b8 v1, v2 offset:65535
    global_load_dwordx4 v[2:5], v[0:1], off offset:-4096 sc0 sc1 nt
    global_load_lds_dword v[0:1], off offset:16
    buffer_load_dwordx4 v[4:7], v8, s[4:7], 0 offen offset:16
    buffer_load_dword v8, s[4:7], s24 offen lds
    buffer_inv sc1
    buffer_wbl2 sc0 sc1
    scratch_store_dwordx4 off, v[0:3], s5 offset:16
""".split("\n")[1:-1]


@pytest.mark.parametrize("line", LINES, ids=str.split)
def test_every_form_is_read_and_printed_back(line: str) -> None:
    instruction = read(line, 7, 3)
    assert show(instruction) == instruction.text == line.strip()
    assert (instruction.line, instruction.source) == (7, 3)


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("v7", Operand(Vector(7))),
        ("a[8:11]", Operand(Vector(264, 4))),
        ("s[4:7]", Operand(Scalar(4, 4))),
        ("vcc", Operand(Scalar(106, 2))),
        ("vcc_hi", Operand(Scalar(107))),
        ("exec_lo", Operand(Scalar(126))),
        ("m0", Operand(Scalar(124))),
        ("src_scc", Operand(Scc())),
        ("0xffffff80", Operand(Constant(0xFFFFFF80))),
        ("-16", Operand(Constant(-16))),
        ("-0.5", Operand(Constant(-0.5))),
        ("0.15915494309189532", Operand(Constant(0.15915494309189532))),
        ("off", Operand(Word("off"))),
        (".LBB3_14", Operand(Label(".LBB3_14"))),
        ("a.b$c@rel32@hi+12", Operand(Symbol("a.b$c", "rel32@hi", 12))),
        ("-v1", Operand(Vector(1), negate=True)),
        ("neg(1.0)", Operand(Constant(1.0), negate=True)),
        ("|v[2:3]|", Operand(Vector(2, 2), absolute=True)),
        ("abs(v1)", Operand(Vector(1), absolute=True)),
        ("-|s1|", Operand(Scalar(1), negate=True, absolute=True)),
        ("-abs(s1)", Operand(Scalar(1), negate=True, absolute=True)),
        ("sext(v1)", Operand(Vector(1), extend=True)),
    ],
)
def test_what_an_operand_is_read_as(text: str, operand: Operand) -> None:
    assert read(f"v_thing v0, {text}, v9", 1).operands == (Operand(Vector(0)), operand, Operand(Vector(9)))


def test_a_float_and_an_integer_are_told_apart() -> None:
    def value(text: str) -> Value:
        return read(f"v_mov_b32_e32 v0, {text}", 1).operands[1].value

    assert repr(value("1")) == "Constant(value=1)" and repr(value("1.0")) == "Constant(value=1.0)"


@pytest.mark.parametrize(
    ("name", "mnemonic", "encoding"),
    [
        ("v_add_f32_e32", "v_add_f32", "e32"),
        ("v_cmp_lt_i16_sdwa", "v_cmp_lt_i16", "sdwa"),
        ("v_mov_b32_dpp", "v_mov_b32", "dpp"),
        ("v_fma_f32", "v_fma_f32", ""),
        ("s_barrier", "s_barrier", ""),
    ],
)
def test_a_mnemonic_and_its_encoding(name: str, mnemonic: str, encoding: str) -> None:
    assert (read(name, 1).name, read(name, 1).encoding) == (mnemonic, encoding)


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("vmcnt(3) lgkmcnt(0)", {"vmcnt": 3, "lgkmcnt": 0}),
        ("lgkmcnt(15)", {"lgkmcnt": 15}),
        ("0xc07f", {"lgkmcnt": 0}),
        ("0x4f71", {"vmcnt": 17}),
        ("0xcf7f", {}),
        ("0", {"vmcnt": 0, "expcnt": 0, "lgkmcnt": 0}),
    ],
)
def test_what_is_waited_for(text: str, waits: dict[str, int]) -> None:
    instruction = read(f"s_waitcnt {text}", 1)
    assert instruction.waits == waits and not instruction.operands and not instruction.modifiers


PATTERNS = {
    "SWAP,16": 0x401F, "QUAD_PERM,3,2,1,0": 0x801B, "ROTATE,0,3": 0xC060, "ROTATE,1,31": 0xC7E0, "FFT,11": 0xE00B,
    "REVERSE,32": 0x7C1F, "REVERSE,4": 0x0C1F, "BROADCAST,32,31": 0x03E0, "BROADCAST,8,5": 0x00B8,
    'BITMASK_PERM,"ppppp"': 0x001F, 'BITMASK_PERM,"01pi0"': 0x0906,
}  # fmt: skip


@pytest.mark.parametrize("name", PATTERNS)
def test_a_swizzle_by_name_is_its_number(name: str) -> None:
    assert read(f"ds_swizzle_b32 v1, v1 offset:swizzle({name})", 1).modifiers == {"offset": PATTERNS[name]}


def test_a_swizzle_by_name_is_what_the_assembler_makes_of_it(tmp_path: Path) -> None:
    lines = "".join(f"ds_swizzle_b32 v1, v1 offset:swizzle({name})\n" for name in PATTERNS)
    (tmp_path / "all.s").write_text(lines)
    target = ("-target", "amdgcn-amd-amdhsa", f"-mcpu={TARGET}", "-x", "assembler", "-c", "all.s", "-o", "all.o")
    subprocess.run([*compiler().clang, *target], cwd=tmp_path, check=True)
    code = (tmp_path / "all.o").read_bytes()
    words = b"".join(number.to_bytes(2, "little") + b"\x7a\xd8\x01\x00\x00\x01" for number in PATTERNS.values())
    assert words in code


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("v_mov_b32_e32 v1, v2 quiet", "the modifier quiet"),
        ("v_mov_b32_e32 v1, v2 mul:3", "the modifier mul set to 3"),
        ("v_mov_b32_e32 v1, v2 mul", "the modifier mul"),
        ("v_mov_b32_e32 v1, v2 clamp:1", "the modifier clamp:1"),
        ("v_mov_b32_e32 v1, v2 clamp clamp", "the modifier clamp twice"),
        ("v_mov_b32_dpp v1, v2 row_share:1", "the modifier row_share:1"),
        ("v_mov_b32_dpp v1, v2 row_bcast:16", "the modifier row_bcast set to 16"),
        ("v_mov_b32_dpp v1, v2 bound_ctrl:0", "the modifier bound_ctrl set to 0"),
        ("v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,4]", "the modifier quad_perm set to [0,1,2,4]"),
        ("v_mov_b32_dpp v1, v2 quad_perm:[0,1,2]", "the modifier quad_perm set to [0,1,2]"),
        ("v_or_b32_sdwa v1, v2, v3 dst_sel:BYTE_4", "the modifier dst_sel set to BYTE_4"),
        ("ds_read2_b32 v[0:1], v2 offset1:256", "the modifier offset1 set to 256"),
        ("ds_swizzle_b32 v1, v1 offset:swizzle(SWAP,3)", "the modifier offset set to swizzle(SWAP,3)"),
        ("ds_swizzle_b32 v1, v1 offset:swizzle(FFT,32)", "the modifier offset set to swizzle(FFT,32)"),
        ("ds_swizzle_b32 v1, v1 offset:swizzle(FFT)", "the modifier offset set to swizzle(FFT)"),
        ("ds_swizzle_b32 v1, v1 offset:swizzle(TURN,1)", "the modifier offset set to swizzle(TURN,1)"),
        ("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[2:3], v[4:5], v[6:7] neg:[1,0,0]", "the modifier neg:[1,0,0]"),
        ("v_mov_b64_e32 v[3:2], v[4:5]", "the registers v[3:2]"),
        ("v_mov_b64_e32 v[1:2], v[4:5]", "the registers v[1:2]"),
        ("s_load_dwordx4 s[2:5], s[0:1], 0", "the registers s[2:5]"),
        ("v_mov_b32_e32 v256, v1", "the registers v256"),
        ("v_mov_b64_e32 a[254:257], v[0:1]", "the registers a[254:257]"),
        ("s_mov_b32 s102, s1", "the registers s102"),
        ("s_mov_b64 s[0:1], flat_scratch", "the operand flat_scratch"),
        ("s_getreg_b32 s0, hwreg(HW_REG_MODE)", "the operand hwreg(HW_REG_MODE)"),
        ("s_sendmsg sendmsg(MSG_INTERRUPT, 1)", "the operand"),
        ("v_mov_b32_e32 v1, --v2", "the operand -v2"),
        ("v_mov_b32_e32 v1, |-v2|", "the operand -v2"),
        ("v_mov_b32_e32 v1, |v2", "the operand |v2"),
        ("v_mov_b32_e32 v1, 1.", "the operand 1."),
        ("v_mov_b32_e32 v1, v2,", "the line"),
        ("v_mov_b32_e32 v1,, v2", "the line"),
        ("v_mov_b32_e32 v1, v2]", "the line"),
        ("s_waitcnt vmcnt(64)", "the wait vmcnt(64)"),
        ("s_waitcnt vscnt(0)", "the wait vscnt(0)"),
        ("s_waitcnt vmcnt(0) vmcnt(1)", "the wait vmcnt(1)"),
        ("s_waitcnt 0x10000", "the wait 0x10000"),
    ],
)
def test_anything_else_is_refused_by_name(line: str, what: str) -> None:
    with pytest.raises(NotUnderstood, match=re.escape(f"assembly line 12: {what}")):
        read(f"\t{line}", 12)
