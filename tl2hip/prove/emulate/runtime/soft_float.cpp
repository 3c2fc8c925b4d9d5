// Conversions that the host compiler calls by name and that no library of ours brings: round to nearest, ties to even.

#include "runtime.h"

// A float of `width` bits with `mantissa` explicit ones, from a double; one rounding.
template <class Bits, int MANTISSA, int BIAS>
static Bits narrow(double value) {
    u64 bits = __builtin_bit_cast(u64, value), magnitude = bits & ~(1ul << 63);
    constexpr int WIDTH = sizeof(Bits) * 8;
    constexpr u64 INFINITY_BITS = ((1ul << (WIDTH - 1 - MANTISSA)) - 1) << MANTISSA;
    Bits sign = (Bits)(bits >> 63 << (WIDTH - 1));
    if (magnitude > 0x7FF0000000000000ul) return sign | INFINITY_BITS | 1ul << (MANTISSA - 1);
    int exponent = (int)(magnitude >> 52) - 1023 + BIAS;
    if (exponent >= (1 << (WIDTH - 1 - MANTISSA)) - 1) return sign | INFINITY_BITS;
    u64 fraction = magnitude & ((1ul << 52) - 1);
    int drop = 52 - MANTISSA;
    u64 kept;
    if (exponent <= 0) {  // subnormal: the leading one becomes explicit
        drop += 1 - exponent;
        if (drop > 54) return sign;
        fraction |= 1ul << 52;
        kept = fraction >> drop;
    } else {
        kept = (u64)exponent << MANTISSA | fraction >> drop;
    }
    u64 rest = fraction & ((1ul << drop) - 1), half = 1ul << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;  // a carry into the exponent is right, up to infinity
    return sign | (Bits)kept;
}

EXPORT _Float16 __truncdfhf2(double value) { return __builtin_bit_cast(_Float16, narrow<u16, 10, 15>(value)); }
EXPORT _Float16 __truncsfhf2(float value) { return __builtin_bit_cast(_Float16, narrow<u16, 10, 15>(value)); }
EXPORT __bf16 __truncdfbf2(double value) { return __builtin_bit_cast(__bf16, narrow<u16, 7, 127>(value)); }
EXPORT __bf16 __truncsfbf2(float value) { return __builtin_bit_cast(__bf16, narrow<u16, 7, 127>(value)); }

EXPORT float __extendhfsf2(_Float16 value) {
    u32 bits = __builtin_bit_cast(u16, value), sign = (bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
    if (magnitude >= 0x7C00) return __builtin_bit_cast(float, sign | 0x7F800000u | (magnitude & 0x3FF) << 13);
    if (magnitude >= 0x400) return __builtin_bit_cast(float, sign | ((magnitude << 13) + (112u << 23)));
    float small = (float)magnitude * 0x1p-24f;
    return sign ? -small : small;
}
