// The value of a float8_e5m2fnuz byte: 5 bits of exponent (bias 16), 2 of mantissa; 0x80 is NaN.
static __device__ inline float f8e5m2_to_f32(unsigned char code) {
    const unsigned int magnitude = code & 0x7fu;
    if (code == 0x80u) return __builtin_nanf("");
    const float small = (float)magnitude * 0x1p-17f;
    const float large = __builtin_bit_cast(float, (magnitude << 21) + ((127u - 16u) << 23));
    const float value = magnitude < 4u ? small : large;
    return code & 0x80u ? -value : value;
}
