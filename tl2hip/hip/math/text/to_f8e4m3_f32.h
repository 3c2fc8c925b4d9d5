// The float8_e4m3fnuz byte nearest x, halves to even, rounded once. Past the largest value, infinite or
// NaN: 0x80 (NaN); zero of either sign: 0. From 2**-7 on the exponent changes its bias, below x counts
// steps of 2**-10.
static __device__ inline unsigned char f32_to_f8e4m3(float x) {
    const unsigned int bits = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
    const unsigned int rounded = (bits + 0x7ffffu + (bits >> 20 & 1u)) >> 20;
    const float magnitude = __builtin_fabsf(x);
    const bool small = magnitude < 0x1p-7f;
    const unsigned int code = small ? (unsigned int)__builtin_rintf(magnitude * 0x1p10f)
                                    : (unsigned int)(rounded - ((127u - 8u) << 3));
    if (!(magnitude < 0x1p17f) || code > 0x7fu) return 0x80u;
    return (unsigned char)(code != 0u && x < 0 ? code | 0x80u : code);
}
