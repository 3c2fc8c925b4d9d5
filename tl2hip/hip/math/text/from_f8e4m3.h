// The value of a float8_e4m3fnuz byte: 4 bits of exponent (bias 8), 3 of mantissa; 0x80 is NaN.
static __device__ inline float f8e4m3_to_f32(unsigned char code) {
    const unsigned int magnitude = code & 0x7fu;
    if (code == 0x80u) return __builtin_nanf("");
    const float small = (float)magnitude * 0x1p-10f;
    const float large = __builtin_bit_cast(float, (magnitude << 20) + ((127u - 8u) << 23));
    const float value = magnitude < 8u ? small : large;
    return code & 0x80u ? -value : value;
}
