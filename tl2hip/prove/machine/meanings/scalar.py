"""The scalar unit: 32 and 64-bit integers in scalar registers, and the condition code."""

from __future__ import annotations

ARITHMETIC = """
s_add_u32          u32 = u32 u32  : d = a + b; scc = d < a
s_add_i32          i32 = i32 i32  : d = sum_i32(a, b, false); scc = ((a ^ d) & (b ^ d)) < 0
s_sub_u32          u32 = u32 u32  : d = a - b; scc = a < b
s_sub_i32          i32 = i32 i32  : d = difference_i32(a, b, false); scc = ((a ^ b) & (a ^ d)) < 0
s_addc_u32         u32 = u32 u32  : u64 sum = (u64)a + b + scc; d = (u32)sum; scc = (u32)(sum >> 32)
s_subb_u32         u32 = u32 u32  : u64 sum = (u64)a - b - scc; d = (u32)sum; scc = (u32)(sum >> 32) & 1
s_addk_i32         i32 = i16 d    : i32 old = d; d = sum_i32(old, a, false); scc = ((old ^ d) & (a ^ d)) < 0
s_mulk_i32         u32 = i16 d    : d *= (u32)(i32)a
s_mul_i32          u32 = u32 u32  : d = a * b
s_mul_hi_u32       u32 = u32 u32  : d = (u32)((u64)a * b >> 32)
s_mul_hi_i32       i32 = i32 i32  : d = (i32)((i64)a * b >> 32)
s_abs_i32          u32 = i32      : d = a < 0 ? 0 - (u32)a : (u32)a; scc = d != 0
s_absdiff_i32      u32 = u32 u32  : d = a - b; d = (i32)d < 0 ? 0 - d : d; scc = d != 0
s_min_i32          i32 = i32 i32  : scc = a < b; d = scc ? a : b
s_min_u32          u32 = u32 u32  : scc = a < b; d = scc ? a : b
s_max_i32          i32 = i32 i32  : scc = a >= b; d = scc ? a : b
s_max_u32          u32 = u32 u32  : scc = a >= b; d = scc ? a : b
s_lshl1_add_u32    u32 = u32 u32  : u64 sum = ((u64)a << 1) + b; d = (u32)sum; scc = sum >> 32 != 0
s_lshl2_add_u32    u32 = u32 u32  : u64 sum = ((u64)a << 2) + b; d = (u32)sum; scc = sum >> 32 != 0
s_lshl3_add_u32    u32 = u32 u32  : u64 sum = ((u64)a << 3) + b; d = (u32)sum; scc = sum >> 32 != 0
s_lshl4_add_u32    u32 = u32 u32  : u64 sum = ((u64)a << 4) + b; d = (u32)sum; scc = sum >> 32 != 0
"""

MOVES = """
s_mov_b32          u32 = u32      : d = a
s_mov_b64          u64 = u64      : d = a
s_movk_i32         i32 = i16      : d = a
s_cmov_b32         u32 = u32 d    : d = scc ? a : d
s_cmov_b64         u64 = u64 d    : d = scc ? a : d
s_cmovk_i32        i32 = i16 d    : d = scc ? a : d
s_cselect_b32      u32 = u32 u32  : d = scc ? a : b
s_cselect_b64      u64 = u64 u64  : d = scc ? a : b
s_pack_ll_b32_b16  u32 = u32 u32  : d = (a & 0xFFFF) | b << 16
s_pack_lh_b32_b16  u32 = u32 u32  : d = (a & 0xFFFF) | (b & 0xFFFF0000)
s_pack_hh_b32_b16  u32 = u32 u32  : d = a >> 16 | (b & 0xFFFF0000)
s_sext_i32_i8      i32 = u32      : d = sign_extended(a, 8)
s_sext_i32_i16     i32 = u32      : d = sign_extended(a, 16)
"""

BITS = """
s_lshl_b32         u32 = u32 u32  : d = a << (b & 31); scc = d != 0
s_lshl_b64         u64 = u64 u32  : d = a << (b & 63); scc = d != 0
s_lshr_b32         u32 = u32 u32  : d = a >> (b & 31); scc = d != 0
s_lshr_b64         u64 = u64 u32  : d = a >> (b & 63); scc = d != 0
s_ashr_i32         i32 = i32 u32  : d = a >> (b & 31); scc = d != 0
s_ashr_i64         i64 = i64 u32  : d = a >> (b & 63); scc = d != 0
s_bfe_u32          u32 = u32 u32  : d = a >> (b & 31) & ones(width_of(b)); scc = d != 0
s_bfe_u64          u64 = u64 u32  : d = a >> (b & 63) & ones_wide(width_of(b)); scc = d != 0
s_bfe_i32          i32 = i32 u32  : d = field(a, b & 31, width_of(b)); scc = d != 0
s_bfe_i64          i64 = i64 u32  : d = field(a, b & 63, width_of(b)); scc = d != 0
s_bfm_b32          u32 = u32 u32  : d = ones(a & 31) << (b & 31)
s_bfm_b64          u64 = u32 u32  : d = ones_wide(a & 63) << (b & 63)
s_brev_b32         u32 = u32      : d = __builtin_bitreverse32(a)
s_brev_b64         u64 = u64      : d = __builtin_bitreverse64(a)
s_bcnt0_i32_b32    u32 = u32      : d = 32 - __builtin_popcount(a); scc = d != 0
s_bcnt0_i32_b64    u32 = u64      : d = 64 - __builtin_popcountl(a); scc = d != 0
s_bcnt1_i32_b32    u32 = u32      : d = __builtin_popcount(a); scc = d != 0
s_bcnt1_i32_b64    u32 = u64      : d = __builtin_popcountl(a); scc = d != 0
s_ff0_i32_b32      i32 = u32      : d = trailing(~a)
s_ff0_i32_b64      i32 = u64      : d = trailing(~a)
s_ff1_i32_b32      i32 = u32      : d = trailing(a)
s_ff1_i32_b64      i32 = u64      : d = trailing(a)
s_flbit_i32_b32    i32 = u32      : d = leading(a)
s_flbit_i32_b64    i32 = u64      : d = leading(a)
s_flbit_i32        i32 = i32      : d = leading_alike(a)
s_flbit_i32_i64    i32 = i64      : d = leading_alike(a)
s_bitset0_b32      u32 = u32 d    : d &= ~(1u << (a & 31))
s_bitset1_b32      u32 = u32 d    : d |= 1u << (a & 31)
s_bitset0_b64      u64 = u32 d    : d &= ~(1ul << (a & 63))
s_bitset1_b64      u64 = u32 d    : d |= 1ul << (a & 63)
s_bitcmp0_b32          = u32 u32  : scc = !(a >> (b & 31) & 1)
s_bitcmp1_b32          = u32 u32  : scc = a >> (b & 31) & 1
s_bitcmp0_b64          = u64 u32  : scc = !(a >> (b & 63) & 1)
s_bitcmp1_b64          = u64 u32  : scc = a >> (b & 63) & 1
"""

LOGIC = {
    "and": "a & b", "or": "a | b", "xor": "a ^ b", "andn2": "a & ~b", "orn2": "a | ~b", "nand": "~(a & b)",
    "nor": "~(a | b)", "xnor": "~(a ^ b)",
}  # fmt: skip
"""Each of two registers or pairs; SCC says whether the result is not 0."""

WITH_EXEC = {
    "and": "a & exec", "or": "a | exec", "xor": "a ^ exec", "andn1": "~a & exec", "andn2": "a & ~exec",
    "orn1": "~a | exec", "orn2": "a | ~exec", "nand": "~(a & exec)", "nor": "~(a | exec)", "xnor": "~(a ^ exec)",
}  # fmt: skip
"""EXEC becomes this; what it was is the result."""

COMPARED = {"eq": "==", "lg": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def _logic() -> str:
    lines = []
    for name, code in LOGIC.items():
        lines += [f"s_{name}_b{n} u{n} = u{n} u{n} : d = {code}; scc = d != 0" for n in (32, 64)]
    lines += [f"s_not_b{n} u{n} = u{n} : d = ~a; scc = d != 0" for n in (32, 64)]
    for name, code in WITH_EXEC.items():
        lines.append(f"s_{name}_saveexec_b64 u64 = u64 : d = exec; exec = {code}; scc = exec != 0")
    for name in ("andn1", "andn2"):
        lines.append(f"s_{name}_wrexec_b64 u64 = u64 : exec = {WITH_EXEC[name]}; d = exec; scc = d != 0")
    return "\n".join(lines)


def _compared() -> str:
    lines = []
    for name, sign in COMPARED.items():
        for kind in ("i", "u"):
            lines.append(f"s_cmp_{name}_{kind}32 = {kind}32 {kind}32 : scc = a {sign} b")
            lines.append(f"s_cmpk_{name}_{kind}32 = {kind}32 {kind}16 : scc = a {sign} ({kind}32)b")
    lines += [f"s_cmp_{name}_u64 = u64 u64 : scc = a {COMPARED[name]} b" for name in ("eq", "lg")]
    return "\n".join(lines)


TABLE = "\n".join((ARITHMETIC, MOVES, BITS, _logic(), _compared()))
