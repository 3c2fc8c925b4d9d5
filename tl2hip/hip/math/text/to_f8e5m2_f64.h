// The float8_e5m2fnuz byte nearest x, halves to even, rounded once. Past the largest value, infinite or
// NaN: 0x80 (NaN); zero of either sign: 0. From 2**-15 on the exponent changes its bias, below x counts
// steps of 2**-17.
static __device__ inline unsigned char f64_to_f8e5m2(double x) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x) & 0x7fffffffffffffffull;
    const unsigned long long rounded = (bits + 0x1ffffffffffffull + (bits >> 50 & 1ull)) >> 50;
    const double magnitude = __builtin_fabs(x);
    const bool small = magnitude < 0x1p-15;
    const unsigned int code = small ? (unsigned int)__builtin_rint(magnitude * 0x1p17)
                                    : (unsigned int)(rounded - ((1023ull - 16ull) << 2));
    if (!(magnitude < 0x1p17) || code > 0x7fu) return 0x80u;
    return (unsigned char)(code != 0u && x < 0 ? code | 0x80u : code);
}
