"""Conversions. To an integer: toward zero, out of range the nearest in range, 0 for a NaN."""

from __future__ import annotations

TABLE = """
v_cvt_f32_f16        f32 = f16               : d = (f32)a
v_cvt_f16_f32        f16 = f32               : d = (f16)a
v_cvt_f32_f64        f32 = f64               : d = (f32)a
v_cvt_f64_f32        f64 = f32               : d = (f64)a
v_cvt_f32_i32        f32 = i32               : d = (f32)a
v_cvt_f32_u32        f32 = u32               : d = (f32)a
v_cvt_f64_i32        f64 = i32               : d = (f64)a
v_cvt_f64_u32        f64 = u32               : d = (f64)a
v_cvt_f16_i16        f16 = i16               : d = (f16)(f32)a
v_cvt_f16_u16        f16 = u16               : d = (f16)(f32)a
v_cvt_f32_ubyte0     f32 = u32               : d = (f32)(a & 255)
v_cvt_f32_ubyte1     f32 = u32               : d = (f32)(a >> 8 & 255)
v_cvt_f32_ubyte2     f32 = u32               : d = (f32)(a >> 16 & 255)
v_cvt_f32_ubyte3     f32 = u32               : d = (f32)(a >> 24)
v_cvt_i32_f32        i32 = f32               : d = i32_of(a)
v_cvt_u32_f32        u32 = f32               : d = u32_of(a)
v_cvt_i32_f64        i32 = f64               : d = i32_of(a)
v_cvt_u32_f64        u32 = f64               : d = u32_of(a)
v_cvt_i16_f16        i16 = f16               : d = i16_of(a)
v_cvt_u16_f16        u16 = f16               : d = u16_of(a)
v_cvt_flr_i32_f32    i32 = f32               : d = i32_of(floor(a))
v_cvt_rpi_i32_f32    i32 = f32               : d = i32_of(floor(a + 0.5f))
v_cvt_pkrtz_f16_f32  u32 = f32 f32           : d = toward_zero(a) | toward_zero(b) << 16
v_cvt_pk_u16_u32     u32 = u32 u32           : d = min_int(a, 0xFFFFu) | min_int(b, 0xFFFFu) << 16
v_cvt_pk_i16_i32     u32 = i32 i32           : d = near_i16(a) | near_i16(b) << 16
v_pack_b32_f16       u32 = f16 f16           : d = bits_of(a) | (u32)bits_of(b) << 16
v_cvt_pk_fp8_f32     u32 = f32 f32 d         : d = with_half(d, high, fp8_of(a) | fp8_of(b) << 8)
v_cvt_pk_bf8_f32     u32 = f32 f32 d         : d = with_half(d, high, bf8_of(a) | bf8_of(b) << 8)
v_cvt_f32_fp8        f32 = u32               : d = of_fp8(a)
v_cvt_f32_bf8        f32 = u32               : d = of_bf8(a)
v_cvt_pk_f32_fp8     u64 = u32               : d = both(bits_of(of_fp8(a)), bits_of(of_fp8(a >> 8)))
v_cvt_pk_f32_bf8     u64 = u32               : d = both(bits_of(of_bf8(a)), bits_of(of_bf8(a >> 8)))
"""
