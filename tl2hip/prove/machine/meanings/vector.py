"""The vector unit on one number a lane: integers, floats and bits."""

from __future__ import annotations

MOVES = """
v_mov_b32            u32 = u32               : d = a
v_mov_b64            u64 = u64               : d = a
v_accvgpr_read_b32   u32 = u32               : d = a
v_accvgpr_write_b32  u32 = u32               : d = a
v_accvgpr_mov_b32    u32 = u32               : d = a
v_swap_b32           u32 u32 = d e           : u32 old = d; d = e; e = old
v_cndmask_b32        u32 = f32 f32 mask      : d = bits_of(c ? b : a)
v_readfirstlane_b32  scalar = row            : d = a[exec ? __builtin_ctzl(exec) : 0]
v_readlane_b32       scalar = row scalar     : d = a[b & 63]
v_writelane_b32      row = scalar scalar     : d[b & 63] = a
"""

INTEGERS = """
v_add_u32            u32 = u32 u32           : d = sum_u32(a, b, clamp)
v_sub_u32            u32 = u32 u32           : d = difference_u32(a, b, clamp)
v_subrev_u32         u32 = u32 u32           : d = difference_u32(b, a, clamp)
v_add_i32            i32 = i32 i32           : d = sum_i32(a, b, clamp)
v_sub_i32            i32 = i32 i32           : d = difference_i32(a, b, clamp)
v_add_co_u32         u32 mask = u32 u32      : d = a + b; e = d < a
v_sub_co_u32         u32 mask = u32 u32      : d = a - b; e = a < b
v_subrev_co_u32      u32 mask = u32 u32      : d = b - a; e = b < a
v_addc_co_u32        u32 mask = u32 u32 mask : d = a + b + c; e = c ? d <= a : d < a
v_subb_co_u32        u32 mask = u32 u32 mask : d = a - b - c; e = c ? a <= b : a < b
v_subbrev_co_u32     u32 mask = u32 u32 mask : d = b - a - c; e = c ? b <= a : b < a
v_add3_u32           u32 = u32 u32 u32       : d = a + b + c
v_mul_lo_u32         u32 = u32 u32           : d = a * b
v_mul_hi_u32         u32 = u32 u32           : d = (u32)((u64)a * b >> 32)
v_mul_hi_i32         i32 = i32 i32           : d = (i32)((i64)a * b >> 32)
v_mul_u32_u24        u32 = u32 u32           : d = (a & 0xFFFFFF) * (b & 0xFFFFFF)
v_mul_hi_u32_u24     u32 = u32 u32           : d = (u32)((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)
v_mul_i32_i24        u32 = u32 u32           : d = (u32)sign_extended(a, 24) * (u32)sign_extended(b, 24)
v_mul_hi_i32_i24     i32 = u32 u32           : d = (i32)((i64)sign_extended(a, 24) * sign_extended(b, 24) >> 32)
v_mad_u32_u24        u32 = u32 u32 u32       : d = (a & 0xFFFFFF) * (b & 0xFFFFFF) + c
v_mad_i32_i24        u32 = u32 u32 u32       : d = (u32)sign_extended(a, 24) * (u32)sign_extended(b, 24) + c
v_mad_u32_u16        u32 = u16 u16 u32       : d = (u32)a * b + c
v_mad_i32_i16        u32 = i16 i16 u32       : d = (u32)((i32)a * b) + c
v_mad_u64_u32        u64 mask = u32 u32 u64  : d = (u64)a * b + c; e = d < c
v_mad_i64_i32        u64 mask = i32 i32 i64  : d = (u64)((i64)a * b) + (u64)c; e = carry_i64((i64)a * b, c)
v_lshl_add_u32       u32 = u32 u32 u32       : d = (a << (b & 31)) + c
v_lshl_add_u64       u64 = u64 u32 u64       : d = (a << (b & 7)) + c
v_add_lshl_u32       u32 = u32 u32 u32       : d = (a + b) << (c & 31)
v_xad_u32            u32 = u32 u32 u32       : d = (a ^ b) + c
v_sad_u32            u32 = u32 u32 u32       : d = (a > b ? a - b : b - a) + c
v_sad_u8             u32 = u32 u32 u32       : d = distance<8, false>(a, b) + c
v_sad_hi_u8          u32 = u32 u32 u32       : d = (distance<8, false>(a, b) << 16) + c
v_sad_u16            u32 = u32 u32 u32       : d = distance<16, false>(a, b) + c
v_msad_u8            u32 = u32 u32 u32       : d = distance<8, true>(a, b) + c
v_min_i32            i32 = i32 i32           : d = min_int(a, b)
v_max_i32            i32 = i32 i32           : d = max_int(a, b)
v_min_u32            u32 = u32 u32           : d = min_int(a, b)
v_max_u32            u32 = u32 u32           : d = max_int(a, b)
v_min3_i32           i32 = i32 i32 i32       : d = min_int(min_int(a, b), c)
v_max3_i32           i32 = i32 i32 i32       : d = max_int(max_int(a, b), c)
v_med3_i32           i32 = i32 i32 i32       : d = med_int(a, b, c)
v_min3_u32           u32 = u32 u32 u32       : d = min_int(min_int(a, b), c)
v_max3_u32           u32 = u32 u32 u32       : d = max_int(max_int(a, b), c)
v_med3_u32           u32 = u32 u32 u32       : d = med_int(a, b, c)
"""

INTEGERS_16 = """
v_add_u16            u16 = u16 u16           : d = bounded<u16, i32>((i32)a + b, clamp)
v_sub_u16            u16 = u16 u16           : d = bounded<u16, i32>((i32)a - b, clamp)
v_subrev_u16         u16 = u16 u16           : d = bounded<u16, i32>((i32)b - a, clamp)
v_add_i16       keep i16 = i16 i16           : d = bounded<i16, i32>((i32)a + b, clamp)
v_sub_i16       keep i16 = i16 i16           : d = bounded<i16, i32>((i32)a - b, clamp)
v_mul_lo_u16         u16 = u16 u16           : d = (u16)((u32)a * b)
v_mad_legacy_u16     u16 = u16 u16 u16       : d = (u16)((u32)a * b + c)
v_mad_legacy_i16     u16 = u16 u16 u16       : d = (u16)((u32)a * b + c)
v_mad_u16       keep u16 = u16 u16 u16       : d = (u16)((u32)a * b + c)
v_mad_i16       keep u16 = u16 u16 u16       : d = (u16)((u32)a * b + c)
v_min_i16            i16 = i16 i16           : d = min_int(a, b)
v_max_i16            i16 = i16 i16           : d = max_int(a, b)
v_min_u16            u16 = u16 u16           : d = min_int(a, b)
v_max_u16            u16 = u16 u16           : d = max_int(a, b)
v_min3_i16      keep i16 = i16 i16 i16       : d = min_int(min_int(a, b), c)
v_max3_i16      keep i16 = i16 i16 i16       : d = max_int(max_int(a, b), c)
v_med3_i16      keep i16 = i16 i16 i16       : d = med_int(a, b, c)
v_min3_u16      keep u16 = u16 u16 u16       : d = min_int(min_int(a, b), c)
v_max3_u16      keep u16 = u16 u16 u16       : d = max_int(max_int(a, b), c)
v_med3_u16      keep u16 = u16 u16 u16       : d = med_int(a, b, c)
v_lshlrev_b16        u16 = u16 u16           : d = (u16)((u32)b << (a & 15))
v_lshrrev_b16        u16 = u16 u16           : d = (u16)(b >> (a & 15))
v_ashrrev_i16        i16 = u16 i16           : d = (i16)(b >> (a & 15))
"""

BITS = """
v_and_b32            u32 = u32 u32           : d = a & b
v_or_b32             u32 = u32 u32           : d = a | b
v_xor_b32            u32 = u32 u32           : d = a ^ b
v_xnor_b32           u32 = u32 u32           : d = ~(a ^ b)
v_not_b32            u32 = u32               : d = ~a
v_and_or_b32         u32 = u32 u32 u32       : d = (a & b) | c
v_or3_b32            u32 = u32 u32 u32       : d = a | b | c
v_lshl_or_b32        u32 = u32 u32 u32       : d = a << (b & 31) | c
v_lshlrev_b32        u32 = u32 u32           : d = b << (a & 31)
v_lshrrev_b32        u32 = u32 u32           : d = b >> (a & 31)
v_ashrrev_i32        i32 = u32 i32           : d = b >> (a & 31)
v_lshlrev_b64        u64 = u32 u64           : d = b << (a & 63)
v_lshrrev_b64        u64 = u32 u64           : d = b >> (a & 63)
v_ashrrev_i64        i64 = u32 i64           : d = b >> (a & 63)
v_bfe_u32            u32 = u32 u32 u32       : d = a >> (b & 31) & ones(c & 31)
v_bfe_i32            i32 = i32 u32 u32       : d = field(a, b & 31, c & 31)
v_bfi_b32            u32 = u32 u32 u32       : d = (a & b) | (~a & c)
v_bfm_b32            u32 = u32 u32           : d = ones(a & 31) << (b & 31)
v_bfrev_b32          u32 = u32               : d = __builtin_bitreverse32(a)
v_bcnt_u32_b32       u32 = u32 u32           : d = __builtin_popcount(a) + b
v_ffbh_u32           i32 = u32               : d = leading(a)
v_ffbh_i32           i32 = i32               : d = leading_alike(a)
v_ffbl_b32           i32 = u32               : d = trailing(a)
v_alignbit_b32       u32 = u32 u32 u32       : d = (u32)(both(b, a) >> (c & 31))
v_alignbyte_b32      u32 = u32 u32 u32       : d = (u32)(both(b, a) >> 8 * (c & 3))
v_perm_b32           u32 = u32 u32 u32       : d = permuted(a, b, c)
v_mbcnt_lo_u32_b32   u32 = u32 u32           : d = __builtin_popcount(a & before(lane, 0)) + b
v_mbcnt_hi_u32_b32   u32 = u32 u32           : d = __builtin_popcount(a & before(lane, 32)) + b
"""

FLOATS = """
v_mul_legacy_f32     f32 = f32 f32           : d = (a == 0) | (b == 0) ? 0.0f : a * b
v_fmac_f32           f32 = f32 f32 d         : d = fma(a, b, d)
v_fmac_f64           f64 = f64 f64 d         : d = fma(a, b, d)
v_fmaak_f32          f32 = f32 f32 f32       : d = fma(a, b, c)
v_fmamk_f32          f32 = f32 f32 f32       : d = fma(a, b, c)
v_fma_f32            f32 = f32 f32 f32       : d = fma(a, b, c)
v_fma_f64            f64 = f64 f64 f64       : d = fma(a, b, c)
v_fma_f16       keep f16 = f16 f16 f16       : d = fma(a, b, c)
v_fma_mix_f32        f32 = mix mix mix       : d = fma(a, b, c)
v_fma_mixlo_f16 keep f16 = mix mix mix       : d = (f16)fma(a, b, c)
v_fma_mixhi_f16      u32 = mix mix mix d     : d = with_half(d, true, bits_of((f16)fma(a, b, c)))
v_min3_f32           f32 = f32 f32 f32       : d = min_num(min_num(a, b), c)
v_max3_f32           f32 = f32 f32 f32       : d = max_num(max_num(a, b), c)
v_med3_f32           f32 = f32 f32 f32       : d = med_num(a, b, c)
v_min3_f16      keep f16 = f16 f16 f16       : d = min_num(min_num(a, b), c)
v_max3_f16      keep f16 = f16 f16 f16       : d = max_num(max_num(a, b), c)
v_med3_f16      keep f16 = f16 f16 f16       : d = med_num(a, b, c)
v_exp_f32            f32 = f32               : d = exp2(a)
v_log_f32            f32 = f32               : d = log2(a)
v_exp_f16            f16 = f16               : d = exp2(a)
v_log_f16            f16 = f16               : d = log2(a)
v_rcp_f32            f32 = f32               : d = flushed(1.0f / flushed(a))
v_rcp_iflag_f32      f32 = f32               : d = flushed(1.0f / flushed(a))
v_rcp_f64            f64 = f64               : d = reciprocal(a)
v_rcp_f16            f16 = f16               : d = (f16)(1.0f / (f32)a)
v_rsq_f32            f32 = f32               : d = inverse_root(flushed(a))
v_rsq_f64            f64 = f64               : d = inverse_root(a)
v_rsq_f16            f16 = f16               : d = (f16)inverse_root((f32)a)
v_sqrt_f32           f32 = f32               : d = square_root(flushed(a))
v_sqrt_f64           f64 = f64               : d = square_root(a)
v_sqrt_f16           f16 = f16               : d = (f16)square_root((f32)a)
v_ldexp_f32          f32 = f32 i32           : d = ldexp(a, b)
v_ldexp_f64          f64 = f64 i32           : d = ldexp(a, b)
v_ldexp_f16          f16 = f16 i16           : d = ldexp(a, b)
v_frexp_exp_i32_f32  i32 = f32               : d = frexp_exponent(a)
v_frexp_exp_i32_f64  i32 = f64               : d = frexp_exponent(a)
v_frexp_exp_i16_f16  i16 = f16               : d = (i16)frexp_exponent(a)
v_frexp_mant_f32     f32 = f32               : d = frexp_mantissa(a)
v_frexp_mant_f64     f64 = f64               : d = frexp_mantissa(a)
v_frexp_mant_f16     f16 = f16               : d = frexp_mantissa(a)
v_div_scale_f32      f32 mask = f32 f32 f32  : d = div_scale(a, b, c, e)
v_div_scale_f64      f64 mask = f64 f64 f64  : d = div_scale(a, b, c, e)
v_div_fmas_f32       f32 = f32 f32 f32 vcc   : d = div_fmas(a, b, c, vcc)
v_div_fmas_f64       f64 = f64 f64 f64 vcc   : d = div_fmas(a, b, c, vcc)
v_div_fixup_f32      f32 = f32 f32 f32       : d = div_fixup(a, b, c)
v_div_fixup_f64      f64 = f64 f64 f64       : d = div_fixup(a, b, c)
v_div_fixup_f16 keep f16 = f16 f16 f16       : d = div_fixup(a, b, c)
"""


def _floats() -> str:
    """What there is for every width."""
    lines = []
    for bits in (16, 32, 64):
        t = f"f{bits}"
        lines += [
            f"v_add_{t} {t} = {t} {t} : d = a + b",
            f"v_mul_{t} {t} = {t} {t} : d = a * b",
            f"v_min_{t} {t} = {t} {t} : d = min_num(a, b)",
            f"v_max_{t} {t} = {t} {t} : d = max_num(a, b)",
            f"v_floor_{t} {t} = {t} : d = floor(a)",
            f"v_ceil_{t} {t} = {t} : d = ceil(a)",
            f"v_trunc_{t} {t} = {t} : d = trunc(a)",
            f"v_rndne_{t} {t} = {t} : d = nearest(a)",
            f"v_fract_{t} {t} = {t} : d = fract(a)",
        ]
    for t in ("f16", "f32"):
        lines += [f"v_sub_{t} {t} = {t} {t} : d = a - b", f"v_subrev_{t} {t} = {t} {t} : d = b - a"]
    return "\n".join(lines)


TABLE = "\n".join((MOVES, INTEGERS, INTEGERS_16, BITS, FLOATS, _floats()))
