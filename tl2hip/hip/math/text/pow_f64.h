// ln a for a positive finite a, as a pair right to about 2**-64 of itself: s = (m - 1)/(m + 1) and ln m =
// 2*s + (2/3)*s**3 + s**5 * q(s*s), the first two terms carried as pairs.
static __device__ inline pair_f64 log_precise(double a) {
    const bool small = a < 0x1p-1022;
    const double lifted = small ? a * 0x1p54 : a;
    const int k = log_exponent(lifted);
    const double m = scale_down(lifted, k);
    const double n = small ? k - 54 : k;
    const double f = m - 1.0;
    const pair_f64 d = add_ordered(2.0, f);
    const double reciprocal = 1.0 / d.high;
    const double s = f * reciprocal;
    const double s_low = __builtin_fma(-s, d.low, __builtin_fma(-s, d.high, f)) * reciprocal;
    const pair_f64 square = multiply_exact(s, s);
    const double z = square.high;
    const double z_low = __builtin_fma(2.0 * s, s_low, square.low);
    const pair_f64 cube = multiply_exact(s, z);
    const double cube_low = __builtin_fma(s_low, z, __builtin_fma(s, z_low, cube.low));
    const pair_f64 term = multiply_exact(cube.high, 0.6666666666666666);
    const double third = cube.high * 3.700743415417188e-17;
    const double term_low = __builtin_fma(cube_low, 0.6666666666666666, third) + term.low;
    double q = 0.13199317506698607;
    q = __builtin_fma(q, z, 0.13256506069921728);
    q = __builtin_fma(q, z, 0.15386770221240442);
    q = __builtin_fma(q, z, 0.18181784099412326);
    q = __builtin_fma(q, z, 0.2222222252282408);
    q = __builtin_fma(q, z, 0.28571428570084356);
    q = __builtin_fma(q, z, 0.40000000000002284);
    const double rest = __builtin_fma(cube.high * z, q, __builtin_fma(2.0, s_low, term_low));
    const pair_f64 head = add_ordered(2.0 * s, term.high);
    const pair_f64 sum = add_ordered(n * 0.6931471805592082, head.high);
    return add_ordered(sum.high, sum.low + __builtin_fma(n, 7.371002565167799e-13, head.low + rest));
}

// x**y = e**(y ln|x|), the logarithm and the product carried as pairs; special cases as C's Annex F.
static __device__ inline double pow_f64(double x, double y) {
    const pair_f64 l = log_precise(__builtin_fabs(x));
    const pair_f64 product = multiply_exact(l.high, y);
    const double low = __builtin_fma(l.low, y, product.low);
    const double power = product.high > 720.0 ? __builtin_inf() : exp_pair(product.high, low, 0);
    return pow_special(x, y, power);
}
