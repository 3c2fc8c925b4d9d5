"""Two numbers a lane, each with its own meaning, and sums of products of small parts."""

from __future__ import annotations

TABLE = """
v_pk_add_f16         f16x2 = f16x2 f16x2       : d = a + b
v_pk_mul_f16         f16x2 = f16x2 f16x2       : d = a * b
v_pk_fma_f16         f16x2 = f16x2 f16x2 f16x2 : d = fma(a, b, c)
v_pk_min_f16         f16x2 = f16x2 f16x2       : d = min_num(a, b)
v_pk_max_f16         f16x2 = f16x2 f16x2       : d = max_num(a, b)
v_pk_add_f32         f32x2 = f32x2 f32x2       : d = a + b
v_pk_mul_f32         f32x2 = f32x2 f32x2       : d = a * b
v_pk_fma_f32         f32x2 = f32x2 f32x2 f32x2 : d = fma(a, b, c)
v_pk_add_u16         u16x2 = u16x2 u16x2       : d = bounded<u16, i32>((i32)a + b, clamp)
v_pk_sub_u16         u16x2 = u16x2 u16x2       : d = bounded<u16, i32>((i32)a - b, clamp)
v_pk_add_i16         i16x2 = i16x2 i16x2       : d = bounded<i16, i32>((i32)a + b, clamp)
v_pk_sub_i16         i16x2 = i16x2 i16x2       : d = bounded<i16, i32>((i32)a - b, clamp)
v_pk_mul_lo_u16      u16x2 = u16x2 u16x2       : d = (u16)((u32)a * b)
v_pk_mad_u16         u16x2 = u16x2 u16x2 u16x2 : d = (u16)((u32)a * b + c)
v_pk_mad_i16         u16x2 = u16x2 u16x2 u16x2 : d = (u16)((u32)a * b + c)
v_pk_min_u16         u16x2 = u16x2 u16x2       : d = min_int(a, b)
v_pk_max_u16         u16x2 = u16x2 u16x2       : d = max_int(a, b)
v_pk_min_i16         i16x2 = i16x2 i16x2       : d = min_int(a, b)
v_pk_max_i16         i16x2 = i16x2 i16x2       : d = max_int(a, b)
v_pk_lshlrev_b16     u16x2 = u16x2 u16x2       : d = (u16)((u32)b << (a & 15))
v_pk_lshrrev_b16     u16x2 = u16x2 u16x2       : d = (u16)(b >> (a & 15))
v_pk_ashrrev_i16     i16x2 = u16x2 i16x2       : d = (i16)(b >> (a & 15))
v_pk_mov_b32         u64 = pick32 pick32       : d = both(a, b)
v_dot2_f32_f16       f32 = pair_f16 pair_f16 f32 : d = dot_f16(a, b, c)
v_dot2c_f32_f16      f32 = pair_f16 pair_f16 d   : d = dot_f16(a, b, d)
v_dot2_i32_i16       u32 = pair_u16 pair_u16 u32 : d = dot<16, true>(a, b, c)
v_dot2_u32_u16       u32 = pair_u16 pair_u16 u32 : d = dot<16, false>(a, b, c)
v_dot4_i32_i8        u32 = u32 u32 u32           : d = dot<8, true>(a, b, c)
v_dot4_u32_u8        u32 = u32 u32 u32           : d = dot<8, false>(a, b, c)
v_dot8_i32_i4        u32 = u32 u32 u32           : d = dot<4, true>(a, b, c)
v_dot8_u32_u4        u32 = u32 u32 u32           : d = dot<4, false>(a, b, c)
v_dot2c_i32_i16      u32 = u32 u32 d             : d = dot<16, true>(a, b, d)
v_dot4c_i32_i8       u32 = u32 u32 d             : d = dot<8, true>(a, b, d)
v_dot8c_i32_i4       u32 = u32 u32 d             : d = dot<4, true>(a, b, d)
"""
