// ln(1 + x): 1 + x is carried exactly as a pair, scaled by 2**-k, and the logarithm of the pair taken.
static __device__ inline double log1p_f64(double x) {
    const pair_f64 u = add_exact(1.0, x);
    const int k = log_exponent(u.high);
    const double m = __builtin_ldexp(u.high, -k);
    const pair_f64 l = log_pair(m, __builtin_ldexp(u.low, -k));
    const double n = k;
    const pair_f64 sum = add_ordered(n * 0.6931471805592082, l.high);
    const double y = sum.high + (sum.low + __builtin_fma(n, 7.371002565167799e-13, l.low));
    if (__builtin_fabs(x) < 0x1p-54) return x;
    const double special = x == -1.0 ? -__builtin_inf() : (x < -1.0 ? __builtin_nan("") : x);
    return x > -1.0 && x < __builtin_inf() ? y : special;
}
