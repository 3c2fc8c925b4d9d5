// ln m for m + m_low, m in about [sqrt(1/2), sqrt(2)], as a pair right to about 2**-60. s = (m - 1)/(m +
// 1) carried as s + s_low; ln m = 2*s + s**3 * p(s*s).
static __device__ inline pair_f64 log_pair(double m, double m_low) {
    const double f = m - 1.0;
    const pair_f64 d = add_ordered(2.0, f);
    const double reciprocal = 1.0 / d.high;
    const double s = f * reciprocal;
    const double rest = __builtin_fma(-s, d.low + m_low, __builtin_fma(-s, d.high, f) + m_low);
    const double s_low = rest * reciprocal;
    const double z = s * s;
    double p = 0.14799113582908058;
    p = __builtin_fma(p, z, 0.15313753068776045);
    p = __builtin_fma(p, z, 0.18183575185805817);
    p = __builtin_fma(p, z, 0.22222198379617628);
    p = __builtin_fma(p, z, 0.28571428744120464);
    p = __builtin_fma(p, z, 0.39999999999407565);
    p = __builtin_fma(p, z, 0.6666666666666735);
    return {2.0 * s, __builtin_fma(s * z, p, 2.0 * s_low)};
}

// The power of two k with 2**-k * x in [sqrt(1/2), sqrt(2)), for a positive finite normal x.
static __device__ inline int log_exponent(double x) {
    return (int)((unsigned int)(__builtin_bit_cast(unsigned long long, x) >> 32) - 0x3fe6a09eu) >> 20;
}

// 2**-k * x, for a normal result.
static __device__ inline double scale_down(double x, int k) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    return __builtin_bit_cast(double, bits - ((unsigned long long)k << 52));
}
