// What the hardware approximates: of f16 and f32 within one unit in the last place there, nearest here (but for one
// argument in some hundred million, where the double that it is made of lies in the middle).
#pragma once

#include "arithmetic.h"

#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

inline f32 square_root(f32 x) { return __builtin_sqrtf(x); }
inline f32 inverse_root(f32 x) { return (f32)(1.0 / __builtin_sqrt((f64)x)); }
// Of f64 it promises 2^29 units in the last place (CDNA 3 ISA: V_RCP_F64, V_RSQ_F64, V_SQRT_F64). What is given here is
// the nearest number whose last 30 bits are zero, as far off as that at times: a step of Newton's that is left out
// shows.
inline f64 coarse(f64 x) {
    u64 near = (magnitude(x) + (1ul << 29)) & ~((1ul << 30) - 1);
    return magnitude(x) >= INFINITE<f64> ? x : signed_as(f64_of(near), negative(x));
}
// Of a mantissa of ones alone every step rounds to one unit too little (P. Markstein's exception), so the compiler's
// division, which is IEEE's, says that the hardware must have the nearest number there.
inline f64 reciprocal(f64 x) {
    constexpr u64 ONES = (1ul << 52) - 1;
    return (bits_of(x) & ONES) == ONES ? 1.0 / x : coarse(1.0 / x);
}
inline f64 square_root(f64 x) { return coarse(__builtin_sqrt(x)); }
inline f64 inverse_root(f64 x) { return coarse(1.0 / __builtin_sqrt(x)); }

// 2^x by a whole power and a series.
inline f64 exp2_wide(f64 x) {
    f64 clamped = x < -1000 ? -1000.0 : x > 1000 ? 1000.0 : x;
    f64 whole = __builtin_rint(clamped), r = (clamped - whole) * 0x1.62e42fefa39efp-1;
    f64 sum = 1.0 / 6227020800.0;
    sum = fma(sum, r, 1.0 / 479001600.0), sum = fma(sum, r, 1.0 / 39916800.0), sum = fma(sum, r, 1.0 / 3628800.0);
    sum = fma(sum, r, 1.0 / 362880.0), sum = fma(sum, r, 1.0 / 40320.0), sum = fma(sum, r, 1.0 / 5040.0);
    sum = fma(sum, r, 1.0 / 720.0), sum = fma(sum, r, 1.0 / 120.0), sum = fma(sum, r, 1.0 / 24.0);
    sum = fma(sum, r, 1.0 / 6.0), sum = fma(sum, r, 0.5), sum = fma(sum, r, 1.0), sum = fma(sum, r, 1.0);
    f64 scaled = sum * power(x != x ? 0 : (i32)whole);
    return x != x ? x : scaled;
}
// The logarithm to base 2 of a normal number, zero, infinity or NaN.
inline f64 log2_wide(f64 x) {
    u64 bits = bits_of(x);
    i32 exponent = (i32)(bits >> 52 & 0x7FF) - 1023;
    f64 m = f64_of((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
    bool large = m > 0x1.6a09e667f3bcdp+0;
    m = large ? m * 0.5 : m, exponent += large;
    f64 s = (m - 1) / (m + 1), q = s * s, sum = 1.0 / 25;
    sum = fma(sum, q, 1.0 / 23), sum = fma(sum, q, 1.0 / 21), sum = fma(sum, q, 1.0 / 19), sum = fma(sum, q, 1.0 / 17);
    sum = fma(sum, q, 1.0 / 15), sum = fma(sum, q, 1.0 / 13), sum = fma(sum, q, 1.0 / 11), sum = fma(sum, q, 1.0 / 9);
    sum = fma(sum, q, 1.0 / 7), sum = fma(sum, q, 1.0 / 5), sum = fma(sum, q, 1.0 / 3), sum = fma(sum, q, 1.0);
    f64 log = fma(s * sum, 0x1.71547652b82fep+1, (f64)exponent);
    f64 nan = __builtin_nan(""), infinity = __builtin_inf();
    return x != x ? x : x == 0 ? -infinity : x < 0 ? nan : x == infinity ? x : log;
}
// The hardware takes f32 subnormals for zeros here, and gives zeros for them; not those of f16.
inline f32 flushed(f32 x) { return is_subnormal(x) ? signed_as(0.0f, negative(x)) : x; }
inline f32 exp2(f32 x) { return flushed((f32)exp2_wide(flushed(x))); }
inline f16 exp2(f16 x) { return (f16)(f32)exp2_wide((f32)x); }
inline f32 log2(f32 x) { return (f32)log2_wide(flushed(x)); }
inline f16 log2(f16 x) { return (f16)(f32)log2_wide((f32)x); }

#pragma clang attribute pop
