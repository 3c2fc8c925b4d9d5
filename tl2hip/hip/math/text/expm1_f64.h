// e**x - 1. x = n*ln2 + r + c, c the rest of r; half of the result is 2**(n-1)*(e**r - 1) + (2**(n-1) -
// 1/2).
static __device__ inline double expm1_f64(double x) {
    const double turns = __builtin_fmin(__builtin_fmax(x * 1.4426950408889634, -100.0), 1024.0);
    const double n = __builtin_rint(turns);
    const double head = __builtin_fma(n, -0.6931471805599453, x);
    const double tail = n * -2.3190468138462996e-17;
    const double r = head + tail;
    const double c = (head - r) + tail;
    double p = 2.0875280255409855e-09;
    p = __builtin_fma(p, r, 2.5108967206299165e-08);
    p = __builtin_fma(p, r, 2.755740275452996e-07);
    p = __builtin_fma(p, r, 2.7557244404977524e-06);
    p = __builtin_fma(p, r, 2.4801587172474025e-05);
    p = __builtin_fma(p, r, 0.00019841269885938372);
    p = __builtin_fma(p, r, 0.0013888888888962361);
    p = __builtin_fma(p, r, 0.0083333333333217);
    p = __builtin_fma(p, r, 0.04166666666666651);
    p = __builtin_fma(p, r, 0.16666666666666677);
    p = __builtin_fma(p, r, 0.5);
    const double q = r + __builtin_fma(r * r, p, c);
    const double half = __builtin_ldexp(0.5, (int)n);
    const double y = 2.0 * __builtin_fma(half, q, half - 0.5);
    if (__builtin_fabs(x) < 0x1p-54) return x;
    if (x > 710.0) return __builtin_inf();
    return x < -40.0 ? -1.0 : y;
}
