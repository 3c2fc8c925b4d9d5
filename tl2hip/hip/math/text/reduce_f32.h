// x as a multiple of pi/2 and a rest in about [-pi/4, pi/4], the rest in double.
struct reduced_f32 {
    double rest;
    int quadrant;
};

// Bits of 2/pi from weight 2**-1 on, 32 at a time, as far as the largest float needs them.
static __device__ inline unsigned int two_over_pi_bits_f32(int word) {
    const unsigned int low = word < 2 ? (word == 0 ? 0xa2f9836eu : 0x4e441529u)
                                      : (word == 2 ? 0xfc2757d1u : 0xf534ddc0u);
    const unsigned int high = word < 6 ? (word == 4 ? 0xdb629599u : 0x3c439041u) : 0xfe5163abu;
    return word < 4 ? low : high;
}

// Up to 2**28 two fused steps leave an error of 2**-80. Beyond, x = M * 2**e with a whole M of 24 bits:
// of M * 2**e * 2/pi only the bits of 2/pi that give less than 4 matter. 96 of them give the quadrant and
// 61 right bits after it; no float comes closer to a multiple of pi/2 than 2**-30, so 31 of those are
// left.
static __device__ inline reduced_f32 reduce_f32(float x) {
    const double wide = x;
    if (__builtin_fabsf(x) < 0x1p28f) {
        const double n = __builtin_rint(wide * 0.6366197723675814);
        const double first = __builtin_fma(n, -1.5707963267948966, wide);
        return {__builtin_fma(n, -6.123233995736766e-17, first), (int)n};
    }
    const unsigned int bits = __builtin_bit_cast(unsigned int, x);
    const unsigned int whole = (bits & 0x7fffffu) | 0x800000u;
    const int start = (int)((bits >> 23) & 0xff) - 150 - 2;
    const int word = start >> 5, shift = start & 31;
    const unsigned long long a = two_over_pi_bits_f32(word), b = two_over_pi_bits_f32(word + 1);
    const unsigned long long c = two_over_pi_bits_f32(word + 2), d = two_over_pi_bits_f32(word + 3);
    const unsigned int high = (unsigned int)(((a << 32 | b) << shift) >> 32);
    const unsigned int middle = (unsigned int)(((b << 32 | c) << shift) >> 32);
    const unsigned int low = (unsigned int)(((c << 32 | d) << shift) >> 32);
    const unsigned long long product = ((unsigned long long)(whole * high) << 32) +
                                       (unsigned long long)whole * middle +
                                       (((unsigned long long)whole * low) >> 32);
    const long long fraction = (long long)(product << 2);
    const double rest = (double)fraction * (0x1p-64 * 1.5707963267948966);
    const int quadrant = (int)(product >> 62) + (fraction < 0 ? 1 : 0);
    return {x < 0.0f ? -rest : rest, x < 0.0f ? -quadrant : quadrant};
}

// The sine of a reduced rest, right to about 2**-37: enough to round once to float.
static __device__ inline double sin_rest_f32(double r) {
    const double z = r * r;
    double p = 2.717940290357037e-06;
    p = __builtin_fma(p, z, -0.00019839296257279952);
    p = __builtin_fma(p, z, 0.008333329267498309);
    p = __builtin_fma(p, z, -0.1666666664062225);
    return __builtin_fma(r * z, p, r);
}

// Its cosine, right to about 2**-33.
static __device__ inline double cos_rest_f32(double r) {
    const double z = r * r;
    double p = 2.443482669940159e-05;
    p = __builtin_fma(p, z, -0.0013887336914062828);
    p = __builtin_fma(p, z, 0.041666646265068503);
    return __builtin_fma(z * z, p, __builtin_fma(z, -0.5, 1.0));
}
