// log10 x = k*log10(2) + ln m * (1/ln10), x = 2**k * m with m in [sqrt(1/2), sqrt(2)), the product
// carried as a pair. k times the first part of log10(2) (41 bits) is exact.
static __device__ inline double log10_f64(double x) {
    const bool small = x < 0x1p-1022;
    const double lifted = small ? x * 0x1p54 : x;
    const int k = log_exponent(lifted);
    const double m = scale_down(lifted, k);
    const double n = small ? k - 54 : k;
    const pair_f64 l = log_pair(m, 0.0);
    const pair_f64 product = multiply_exact(l.high, 0.4342944819032518);
    const double rest = __builtin_fma(l.low, 0.4342944819032518, l.high * 1.098319650216765e-17);
    const pair_f64 sum = add_ordered(n * 0.30102999566361177, product.high);
    const double y = sum.high + (sum.low + (product.low + __builtin_fma(n, 3.694239077158931e-13, rest)));
    const double special = x == 0.0 ? -__builtin_inf() : (x < 0.0 ? __builtin_nan("") : x);
    return x > 0.0 && x < __builtin_inf() ? y : special;
}
