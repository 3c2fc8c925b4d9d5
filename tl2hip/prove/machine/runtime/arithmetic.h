// Arithmetic of the target as functions of numbers, where C++ has no operator for it. Rounding is to nearest even and
// subnormals are numbers (the mode that kernels are compiled for), unless a function says otherwise. What a NaN holds
// besides being one, and its sign, are not the hardware's.
#pragma once

#include "operands.h"

// A loop with a call in it is no vector code.
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)

// ---- what a float's bits say

template <class T>
struct Float;
template <>
struct Float<f16> {
    typedef u16 Bits;
    static constexpr int MANTISSA = 10, BIAS = 15;
};
template <>
struct Float<f32> {
    typedef u32 Bits;
    static constexpr int MANTISSA = 23, BIAS = 127;
};
template <>
struct Float<f64> {
    typedef u64 Bits;
    static constexpr int MANTISSA = 52, BIAS = 1023;
};

template <class T>
constexpr u64 SIGN = 1ul << (8 * sizeof(T) - 1);
template <class T>
constexpr u64 QUIET = 1ul << (Float<T>::MANTISSA - 1);
template <class T>
constexpr u64 INFINITE = (u64)(2 * Float<T>::BIAS + 1) << Float<T>::MANTISSA;

template <class T>
T with_bits(u64 bits) { return __builtin_bit_cast(T, (typename Float<T>::Bits)bits); }
template <class T>
u64 magnitude(T x) { return bits_of(x) & (SIGN<T> - 1); }
template <class T>
bool negative(T x) { return (bits_of(x) & SIGN<T>) != 0; }
template <class T>
bool is_nan(T x) { return magnitude(x) > INFINITE<T>; }
template <class T>
bool signals(T x) { return is_nan(x) & !(bits_of(x) & QUIET<T>); }
template <class T>
T quiet(T x) { return with_bits<T>(bits_of(x) | QUIET<T>); }
template <class T>
bool is_subnormal(T x) { return (magnitude(x) != 0) & (magnitude(x) < 1ul << Float<T>::MANTISSA); }
template <class T>
i32 raw_exponent(T x) { return (i32)(magnitude(x) >> Float<T>::MANTISSA); }
template <class T>
T signed_as(T x, bool minus) { return with_bits<T>(magnitude(x) | (minus ? SIGN<T> : 0)); }

// The bit of a class mask: signaling and quiet NaN, minus infinity, normal, subnormal, zero, and the same of plus.
template <class T>
u32 class_of(T x) {
    u64 size = magnitude(x);
    u32 plus = size == 0 ? 6 : size < 1ul << Float<T>::MANTISSA ? 7 : size < INFINITE<T> ? 8 : 9;
    u32 nan = bits_of(x) & QUIET<T> ? 1 : 0;
    return size > INFINITE<T> ? nan : negative(x) ? 11 - plus : plus;
}

// ---- f16: sums and products are rounded twice by way of f32, which is as good as once; a fused one is not

inline f32 fma(f32 x, f32 y, f32 z) { return __builtin_fmaf(x, y, z); }
inline f64 fma(f64 x, f64 y, f64 z) { return __builtin_fma(x, y, z); }

// x + y rounded so that an inexact result is odd: rounding it again to fewer bits is then right.
inline f64 odd_sum(f64 x, f64 y) {
    f64 sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    u64 bits = bits_of(sum);
    bool inexact = (rest != 0) & (rest == rest), outward = (rest > 0) == (sum > 0);
    u64 odd = bits & 1 ? bits : outward ? bits + 1 : bits - 1;
    return inexact ? f64_of(odd) : sum;
}
inline f32 odd_narrow(f64 x) {
    f32 near = (f32)x;
    u32 bits = bits_of(near);
    f64 back = near;
    u32 odd = bits & 1 ? bits : __builtin_fabs(back) < __builtin_fabs(x) ? bits + 1 : bits - 1;
    return (back == x) | (x != x) ? near : f32_of(odd);
}
inline f16 fma(f16 x, f16 y, f16 z) {
    f64 product = (f64)(f32)x * (f64)(f32)y;
    return (f16)odd_narrow(odd_sum(product, (f64)(f32)z));
}

// ---- least and greatest: a quiet NaN loses, a signaling one is quieted and wins; -0 is less than 0

template <class T>
T min_num(T x, T y) {
    T least = (x < y) | ((x == y) & negative(x)) ? x : y;
    least = is_nan(y) ? x : least;
    least = is_nan(x) ? y : least;
    least = signals(y) ? quiet(y) : least;
    return signals(x) ? quiet(x) : least;
}
template <class T>
T max_num(T x, T y) {
    T most = (x > y) | ((x == y) & !negative(x)) ? x : y;
    most = is_nan(y) ? x : most;
    most = is_nan(x) ? y : most;
    most = signals(y) ? quiet(y) : most;
    return signals(x) ? quiet(x) : most;
}
template <class T>
T med_num(T x, T y, T z) {
    T xy = max_num(x, y), xz = max_num(x, z), yz = max_num(y, z), most = max_num(xy, z);
    T least = min_num(min_num(x, y), z), middle = most == y ? xz : xy;
    middle = most == x ? yz : middle;
    return is_nan(x) | is_nan(y) | is_nan(z) ? least : middle;
}
template <class T>
T min_int(T x, T y) { return x < y ? x : y; }
template <class T>
T max_int(T x, T y) { return x > y ? x : y; }
template <class T>
T med_int(T x, T y, T z) { return max_int(min_int(x, y), min_int(max_int(x, y), z)); }

// ---- parts and powers

inline f32 floor(f32 x) { return __builtin_floorf(x); }
inline f64 floor(f64 x) { return __builtin_floor(x); }
inline f16 floor(f16 x) { return (f16)__builtin_floorf(x); }
inline f32 ceil(f32 x) { return __builtin_ceilf(x); }
inline f64 ceil(f64 x) { return __builtin_ceil(x); }
inline f16 ceil(f16 x) { return (f16)__builtin_ceilf(x); }
inline f32 trunc(f32 x) { return __builtin_truncf(x); }
inline f64 trunc(f64 x) { return __builtin_trunc(x); }
inline f16 trunc(f16 x) { return (f16)__builtin_truncf(x); }
inline f32 nearest(f32 x) { return __builtin_rintf(x); }
inline f64 nearest(f64 x) { return __builtin_rint(x); }
inline f16 nearest(f16 x) { return (f16)__builtin_rintf(x); }

// x less its floor, and less than 1 even where the difference rounds to it.
template <class T>
T fract(T x) {
    T rest = x - floor(x), most = with_bits<T>(((u64)Float<T>::BIAS << Float<T>::MANTISSA) - 1);
    return rest > most ? most : rest;
}

inline f64 power(i32 n) { return f64_of((u64)(n + 1023) << 52); }  // 2^n, -1022 to 1023
inline i32 within(i32 n, i32 least, i32 most) { return n < least ? least : n > most ? most : n; }
inline f32 ldexp(f32 x, i32 n) { return (f32)((f64)x * power(within(n, -400, 400))); }
inline f16 ldexp(f16 x, i16 n) { return (f16)((f32)x * (f32)power(within(n, -60, 60))); }
// Only the last of the products rounds: -969 leaves 53 bits above the least subnormal.
inline f64 ldexp(f64 x, i32 n) {
    n = within(n, -2200, 2200);
    i32 first = n > 1023 ? 1023 : n < -1022 ? -969 : 0;
    x *= power(first), n -= first;
    i32 second = n > 1023 ? 1023 : n < -1022 ? -969 : 0;
    x *= power(second), n -= second;
    return x * power(within(n, -1022, 1023));
}

// x is frexp_mantissa(x) times 2 to frexp_exponent(x), with a mantissa from 1/2 up to 1.
template <class T>
i32 frexp_exponent(T x) {
    constexpr int M = Float<T>::MANTISSA, BIAS = Float<T>::BIAS;
    u64 size = magnitude(x);
    i32 subnormal = 64 - __builtin_clzl(size | 1) - (BIAS - 1 + M), normal = raw_exponent(x) - BIAS + 1;
    return (size == 0) | (size >= INFINITE<T>) ? 0 : is_subnormal(x) ? subnormal : normal;
}
template <class T>
T frexp_mantissa(T x) {
    constexpr int M = Float<T>::MANTISSA;
    u64 size = magnitude(x), shifted = size << (M - (63 - __builtin_clzl(size | 1)) & 63);
    u64 fraction = (is_subnormal(x) ? shifted : size) & ((1ul << M) - 1);
    T half = signed_as(with_bits<T>((u64)(Float<T>::BIAS - 1) << M | fraction), negative(x));
    return (size == 0) | (size == INFINITE<T>) ? x : size > INFINITE<T> ? quiet(x) : half;
}

// ---- division: scale, Newton's steps in between, the last step and what is no quotient of numbers

// The scale of one of both operands (x is the one to scale) keeps the steps in range, and says whether to undo it.
template <class T>
T div_scale(T x, T denominator, T numerator, u32& undone) {
    constexpr int SCALE = sizeof(T) == 4 ? 64 : 128, FAR = sizeof(T) == 4 ? 96 : 768, TINY = sizeof(T) == 4 ? 23 : 53;
    T up = ldexp(x, SCALE), down = ldexp(x, -SCALE), quotient = numerator / denominator;
    bool of_denominator = bits_of(x) == bits_of(denominator), of_numerator = bits_of(x) == bits_of(numerator);
    bool small = is_subnormal(T(1) / denominator), result_small = is_subnormal(quotient);
    bool far = raw_exponent(numerator) - raw_exponent(denominator) >= FAR;
    T scaled = raw_exponent(numerator) <= TINY ? up : x;
    scaled = result_small ? (of_numerator ? up : x) : scaled;
    scaled = small ? (result_small ? (of_denominator ? down : x) : down) : scaled;
    scaled = is_subnormal(denominator) ? up : scaled;
    scaled = far ? (of_denominator ? up : x) : scaled;
    bool zero = (denominator == 0) | (numerator == 0);
    undone = !zero & (far | (!is_subnormal(denominator) & result_small));
    return zero ? with_bits<T>(INFINITE<T> | QUIET<T>) : scaled;
}

// The last step, with the scale undone: x * y + z times a power of two, rounded once.
inline f32 div_fmas(f32 x, f32 y, f32 z, u32 undo) {
    f64 sum = odd_sum((f64)x * (f64)y, (f64)z);
    f32 scaled = (f32)(sum * power(raw_exponent(z) > 127 ? 64 : -64));
    return undo ? scaled : fma(x, y, z);
}
inline f64 div_fmas(f64 x, f64 y, f64 z, u32 undo) {
    f64 near = fma(x, y, z), product = x * y, low = fma(x, y, -product);
    f64 sum = product + z, part = sum - product, rest = (product - (sum - part)) + (z - part);
    f64 error = ((sum - near) + rest) + low;  // of `near`
    f64 undone = near * power(raw_exponent(z) > 1023 ? 128 : -128);
    bool finite = (magnitude(x) < INFINITE<f64>) & (magnitude(y) < INFINITE<f64>);
    bool over = finite & (magnitude(near) == INFINITE<f64>) & (raw_exponent(z) <= 1023);
    undone = over ? fma(x * power(-64), y * power(-64), z * power(-128)) : undone;
    // Where what the subnormal loses of `near` is just half a unit, its error decides.
    f64 lost = near - undone * power(128), half = power(-1075 + 128);
    bool tie = (raw_exponent(z) <= 1023) & (__builtin_fabs(lost) == half) & (error != 0);
    bool away = (lost > 0) == (error > 0);  // the exact result is past the middle
    f64 further = f64_of(bits_of(undone) + ((lost > 0) == (near > 0) ? 1 : -1));
    f64 toward = undone;
    return !undo ? near : tie & away ? further : toward;
}

template <class T>
T div_fixup(T quotient, T denominator, T numerator) {
    constexpr int LEAST = sizeof(T) == 2 ? -100 : sizeof(T) == 4 ? -150 : -1075;  // an f16's exponents are never so far
    bool minus = negative(denominator) != negative(numerator);
    bool over = sizeof(T) > 2 && magnitude(quotient) >= INFINITE<T>;
    u64 down = magnitude(denominator), up = magnitude(numerator);
    T infinity = with_bits<T>(INFINITE<T>), nan = with_bits<T>(SIGN<T> | INFINITE<T> | QUIET<T>);
    T fixed = over ? infinity : quotient;  // the steps make a NaN of what is too large
    fixed = raw_exponent(numerator) - raw_exponent(denominator) < LEAST ? T(0) : fixed;
    fixed = (down == INFINITE<T>) | (up == 0) ? T(0) : fixed;
    fixed = (down == 0) | (up == INFINITE<T>) ? infinity : fixed;
    fixed = signed_as(fixed, minus);
    fixed = (down == up) & ((up == 0) | (up == INFINITE<T>)) ? nan : fixed;
    fixed = is_nan(denominator) ? quiet(denominator) : fixed;
    return is_nan(numerator) ? quiet(numerator) : fixed;
}

// ---- conversions: a number out of range becomes the nearest in range, a NaN 0

template <class To, class From>
To saturated(From x, From least, From past) {
    constexpr To LEAST = To(-1) < To(0) ? To(1ul << (8 * sizeof(To) - 1)) : To(0), MOST = To(~LEAST);
    bool in = (x > least) & (x < past);
    To whole = (To)(in ? x : From(0));
    return in ? whole : x >= past ? MOST : x <= least ? LEAST : To(0);
}
inline u32 u32_of(f32 x) { return saturated<u32, f32>(x, -1.0f, 0x1p32f); }
inline i32 i32_of(f32 x) { return saturated<i32, f32>(x, -0x1p31f, 0x1p31f); }
inline u32 u32_of(f64 x) { return saturated<u32, f64>(x, -1.0, 0x1p32); }
inline i32 i32_of(f64 x) { return saturated<i32, f64>(x, -0x1p31 - 1, 0x1p31); }
inline u16 u16_of(f16 x) { return (u16)min_int(u32_of((f32)x), 65535u); }
inline i16 i16_of(f16 x) { return (i16)within(i32_of((f32)x), -32768, 32767); }
inline u32 near_i16(i32 x) { return (u16)within(x, -32768, 32767); }
inline i32 sign_extended(u32 x, u32 bits) { return (i32)(x << (32 - bits)) >> (32 - bits); }

// The nearest f16, one step back when it lies further from zero (an infinity becomes the largest number).
inline u32 toward_zero(f32 x) {
    f16 near = (f16)x;
    bool far = __builtin_fabsf((f32)near) > __builtin_fabsf(x);
    return (u32)bits_of(near) - far;
}

// fp8 of this target: no infinity and no -0; 0x80 is the one NaN, and what overflow gives.
template <int MANTISSA, int BIAS>
u32 to_eight(f32 x) {
    u32 size = (u32)magnitude(x), sign = negative(x) ? 0x80 : 0;
    i32 exponent = (i32)(size >> 23) - 127 + BIAS;
    i32 drop = 23 - MANTISSA + (exponent > 0 ? 0 : 1 - exponent);
    drop = drop > 31 ? 31 : drop;
    u32 fraction = (size & 0x7FFFFF) | (exponent > 0 ? (u32)exponent << 23 : 0x800000);
    u32 kept = fraction >> drop, rest = fraction & ((1u << drop) - 1), half = 1u << (drop - 1);
    kept += (rest > half) | ((rest == half) & (kept & 1));
    return size >= 0x7F800000 || kept > 0x7F ? 0x80 : kept == 0 ? 0 : sign | kept;
}
template <int MANTISSA, int BIAS>
f32 from_eight(u32 bits) {
    u32 exponent = (bits & 0x7F) >> MANTISSA, fraction = bits & ((1u << MANTISSA) - 1);
    f32 value = (f32)(exponent ? fraction | 1u << MANTISSA : fraction);
    value *= (f32)power((i32)(exponent ? exponent : 1) - BIAS - MANTISSA);
    return (bits & 0xFF) == 0x80 ? __builtin_nanf("") : bits & 0x80 ? -value : value;
}
inline u32 fp8_of(f32 x) { return to_eight<3, 8>(x); }
inline u32 bf8_of(f32 x) { return to_eight<2, 16>(x); }
inline f32 of_fp8(u32 bits) { return from_eight<3, 8>(bits); }
inline f32 of_bf8(u32 bits) { return from_eight<2, 16>(bits); }
inline u32 with_half(u32 old, bool high, u32 half) {
    return high ? half << 16 | (old & 0xFFFF) : half | (old & 0xFFFF0000);
}

// ---- bits

inline i32 leading(u32 x) { return x ? __builtin_clz(x) : -1; }
inline i32 leading(u64 x) { return x ? __builtin_clzl(x) : -1; }
inline i32 leading_alike(i32 x) { return leading((u32)(x ^ x >> 31)); }
inline i32 leading_alike(i64 x) { return leading((u64)(x ^ x >> 63)); }
inline i32 trailing(u32 x) { return x ? __builtin_ctz(x) : -1; }
inline i32 trailing(u64 x) { return x ? __builtin_ctzl(x) : -1; }
inline u32 ones(u32 count) { return count > 31 ? ~0u : (1u << count) - 1; }
inline u64 ones_wide(u32 count) { return count > 63 ? ~0ul : (1ul << count) - 1; }
inline i32 field(i32 x, u32 from, u32 count) {
    u32 unused = count > 31 ? 0 : 32 - count;
    return count == 0 ? 0 : (i32)((u32)(x >> from) << unused) >> unused;
}
inline i64 field(i64 x, u32 from, u32 count) {
    u32 unused = count > 63 ? 0 : 64 - count;
    return count == 0 ? 0 : (i64)((u64)(x >> from) << unused) >> unused;
}
// Of a scalar field: where it begins is in the low bits, how many bits it has in bits 16 to 22.
inline u32 width_of(u32 where) { return where >> 16 & 0x7F; }
// Bits of a mask at lanes before this one, in the lower or the upper half of the wave.
inline u32 before(u32 lane, u32 first) { return lane < first ? 0 : ones(lane - first); }

// Bytes of both registers, by a number each: 0 to 7, a byte; 8 to 11, a sign over all bits; 12 zeros; then ones.
inline u32 permuted(u32 high, u32 low, u32 selector) {
    u32 out = 0;
    for (u32 b = 0; b < 4; ++b) {
        u32 number = selector >> 8 * b & 255;
        u32 of_byte = number & 4 ? high : low, of_sign = number & 2 ? high : low;
        u32 byte = of_byte >> 8 * (number & 3) & 255, sign = (of_sign >> (16 * (number & 1) + 15) & 1) * 255;
        u32 other = number == 12 ? 0u : 255u;
        other = number < 12 ? sign : other;
        out |= (number < 8 ? byte : other) << 8 * b;
    }
    return out;
}

// ---- sums of products of small parts

template <int BITS, bool SIGNED>
u32 dot(u32 x, u32 y, u32 sum) {
    for (int i = 0; i < 32; i += BITS) {
        u32 left = x >> i & ones(BITS), right = y >> i & ones(BITS);
        if (SIGNED) left = (u32)sign_extended(left, BITS), right = (u32)sign_extended(right, BITS);
        sum += left * right;
    }
    return sum;
}
// The sum of how far parts lie from each other; with `masked`, of those where y's is not 0.
template <int BITS, bool MASKED>
u32 distance(u32 x, u32 y) {
    u32 sum = 0;
    for (int i = 0; i < 32; i += BITS) {
        u32 left = x >> i & ones(BITS), right = y >> i & ones(BITS);
        u32 far = left > right ? left - right : right - left;
        sum += MASKED && !right ? 0 : far;
    }
    return sum;
}
inline f32 dot_f16(u32 x, u32 y, f32 sum) {
    sum += (f32)f16_of(x) * (f32)f16_of(y);
    return sum + (f32)f16_of(x >> 16) * (f32)f16_of(y >> 16);
}

// ---- sums that may saturate, and the bit above a signed one

template <class T, class Wide>
T bounded(Wide sum, bool clamp) {
    constexpr Wide LEAST = T(-1) < T(0) ? -(Wide(1) << (8 * sizeof(T) - 1)) : Wide(0);
    constexpr Wide MOST = LEAST + (Wide)((1ul << (8 * sizeof(T))) - 1);
    Wide near = sum < LEAST ? LEAST : sum > MOST ? MOST : sum;
    return (T)(clamp ? near : sum);
}
inline u32 carry_i64(i64 x, i64 y) { return (x < 0) ^ (y < 0) ^ ((u64)x + (u64)y < (u64)y); }
inline u32 sum_u32(u32 x, u32 y, bool clamp) { return clamp & (x + y < x) ? ~0u : x + y; }
inline u32 difference_u32(u32 x, u32 y, bool clamp) { return clamp & (x < y) ? 0 : x - y; }
inline i32 sum_i32(i32 x, i32 y, bool clamp) {
    i32 sum = (i32)((u32)x + (u32)y);
    return clamp & (((x ^ sum) & (y ^ sum)) < 0) ? (x >> 31) ^ 0x7FFFFFFF : sum;
}
inline i32 difference_i32(i32 x, i32 y, bool clamp) {
    i32 sum = (i32)((u32)x - (u32)y);
    return clamp & (((x ^ y) & (x ^ sum)) < 0) ? (x >> 31) ^ 0x7FFFFFFF : sum;
}

#pragma clang attribute pop
