// log2 x = k + ln m * (1/ln2), x = 2**k * m with m in [sqrt(1/2), sqrt(2)), the product carried as a
// pair.
static __device__ inline double log2_f64(double x) {
    const bool small = x < 0x1p-1022;
    const double lifted = small ? x * 0x1p54 : x;
    const int k = log_exponent(lifted);
    const double m = scale_down(lifted, k);
    const double n = small ? k - 54 : k;
    const pair_f64 l = log_pair(m, 0.0);
    const pair_f64 product = multiply_exact(l.high, 1.4426950408889634);
    const double rest = __builtin_fma(l.low, 1.4426950408889634, l.high * 2.0355273740931033e-17);
    const pair_f64 sum = add_ordered(n, product.high);
    const double y = sum.high + (sum.low + (product.low + rest));
    const double special = x == 0.0 ? -__builtin_inf() : (x < 0.0 ? __builtin_nan("") : x);
    return x > 0.0 && x < __builtin_inf() ? y : special;
}
