// ln x = k*ln2 + ln m, x = 2**k * m with m in [sqrt(1/2), sqrt(2)). k times the first part of ln2 (40
// bits) is exact.
static __device__ inline double log_f64(double x) {
    const bool small = x < 0x1p-1022;
    const double lifted = small ? x * 0x1p54 : x;
    const int k = log_exponent(lifted);
    const double m = scale_down(lifted, k);
    const double n = small ? k - 54 : k;
    const pair_f64 l = log_pair(m, 0.0);
    const pair_f64 sum = add_ordered(n * 0.6931471805592082, l.high);
    const double y = sum.high + (sum.low + __builtin_fma(n, 7.371002565167799e-13, l.low));
    const double special = x == 0.0 ? -__builtin_inf() : (x < 0.0 ? __builtin_nan("") : x);
    return x > 0.0 && x < __builtin_inf() ? y : special;
}
