// x as a multiple of pi/2 and a rest in about [-pi/4, pi/4], the rest as a pair.
struct reduced_f64 {
    double high, low;
    int quadrant;
};

// 64 zero bits, then the bits of 2/pi from weight 2**-1 on, as far as the largest double needs them.
static __device__ const unsigned long long two_over_pi_bits_f64[20] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

typedef unsigned __int128 wide_u128;

// The 64 bits that start `shift` bits below the top of high, followed by low.
static __device__ inline unsigned long long shift_in(unsigned long long high, unsigned long long low,
                                                     int shift) {
    return shift == 0 ? high : high << shift | low >> (64 - shift);
}

// |x| from 2**28 on. |x| = M * 2**e with a whole M of 53 bits; of M * 2**e * 2/pi only the bits of 2/pi
// that give less than 4 matter. 192 of them give the quadrant and at least 128 right bits after it; no
// double comes closer to a multiple of pi/2 than 2**-62, so 66 of those are left.
static __device__ inline reduced_f64 reduce_large_f64(double x) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    const unsigned long long whole = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    const int start = (int)((bits >> 52) & 0x7ff) - 1075 - 2 + 64;
    // Infinity and NaN lie past the table; their rest is replaced by the caller.
    const int word = start >> 6 < 16 ? start >> 6 : 16, shift = start & 63;
    const unsigned long long a = two_over_pi_bits_f64[word], b = two_over_pi_bits_f64[word + 1];
    const unsigned long long c = two_over_pi_bits_f64[word + 2], d = two_over_pi_bits_f64[word + 3];
    const wide_u128 low = (wide_u128)whole * shift_in(c, d, shift);
    const wide_u128 middle = (wide_u128)whole * shift_in(b, c, shift) + (low >> 64);
    const unsigned long long high = whole * shift_in(a, b, shift) + (unsigned long long)(middle >> 64);

    // The fraction as a signed 128-bit number in [-1/2, 1/2) of a quadrant, then its magnitude, leading
    // bit up.
    wide_u128 fraction = shift_in(high, (unsigned long long)middle, 2);
    fraction = fraction << 64 | shift_in((unsigned long long)middle, (unsigned long long)low, 2);
    const bool negative = (long long)(unsigned long long)(fraction >> 64) < 0;
    const int quadrant = (int)(high >> 62) + (negative ? 1 : 0);
    if (negative) fraction = -fraction;
    const int zeros = __builtin_clzll((unsigned long long)(fraction >> 64) | 1);
    fraction = fraction << zeros;
    const unsigned long long top = (unsigned long long)(fraction >> 64);
    const double head = (double)(top & ~0x7ffull) * 0x1p-64;
    const double tail = (double)((top & 0x7ffull) << 42 | (unsigned long long)fraction >> 22) * 0x1p-106;
    const pair_f64 product = multiply_exact(head, 1.5707963267948966);
    const double smaller = __builtin_fma(tail, 1.5707963267948966, product.low);
    const double rest = __builtin_fma(head, 6.123233995736766e-17, smaller);
    const pair_f64 sum = add_ordered(product.high, rest);
    const double scale = __builtin_ldexp(negative != (x < 0.0) ? -1.0 : 1.0, -zeros);
    return {sum.high * scale, sum.low * scale, x < 0.0 ? -quadrant : quadrant};
}

// Below 2**28 pi/2 is subtracted in three parts: the first step is exact, the second carried as a pair.
static __device__ inline reduced_f64 reduce_f64(double x) {
    if (!(__builtin_fabs(x) < 0x1p28)) return reduce_large_f64(x);
    const double n = __builtin_rint(x * 0.6366197723675814);
    const double first = __builtin_fma(n, -1.5707963267948966, x);
    const pair_f64 part = multiply_exact(n, -6.123233995736766e-17);
    const pair_f64 sum = add_exact(first, part.high);
    const double low = sum.low + __builtin_fma(n, 1.4973849048591698e-33, part.low);
    const pair_f64 rest = add_ordered(sum.high, low);
    return {rest.high, rest.low, (int)n};
}

// The sine of a reduced rest.
static __device__ inline double sin_rest_f64(reduced_f64 part) {
    const double r = part.high, z = r * r;
    double p = 1.5895227332051793e-10;
    p = __builtin_fma(p, z, -2.5050731920304286e-08);
    p = __builtin_fma(p, z, 2.7557313530629513e-06);
    p = __builtin_fma(p, z, -0.00019841269829361935);
    p = __builtin_fma(p, z, 0.008333333333321882);
    p = __builtin_fma(p, z, -0.1666666666666663);
    return r + __builtin_fma(r * z, p, __builtin_fma(part.low * z, -0.5, part.low));
}

// Its cosine: 1 - z/2 with the rounding error, then the smaller terms.
static __device__ inline double cos_rest_f64(reduced_f64 part) {
    const double r = part.high, z = r * r;
    double p = -1.1358568331216537e-11;
    p = __builtin_fma(p, z, 2.0875703067244065e-09);
    p = __builtin_fma(p, z, -2.755731420878794e-07);
    p = __builtin_fma(p, z, 2.4801587289004505e-05);
    p = __builtin_fma(p, z, -0.0013888888888873392);
    p = __builtin_fma(p, z, 0.041666666666666595);
    const double half = 0.5 * z;
    const double head = 1.0 - half;
    return head + (((1.0 - head) - half) + __builtin_fma(z * z, p, -r * part.low));
}
