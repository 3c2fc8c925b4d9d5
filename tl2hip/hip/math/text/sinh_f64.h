// (e**x - e**-x)/2; below 1 a polynomial in x*x. Half of e**x is formed directly, so that it overflows
// only with the result.
static __device__ inline double sinh_f64(double x) {
    const double a = __builtin_fabs(x), z = a * a;
    const double half = exp_pair(__builtin_fmin(a, 750.0), 0.0, -1);
    double p = 7.75930703273602e-13;
    p = __builtin_fma(p, z, 1.6057240575126118e-10);
    p = __builtin_fma(p, z, 2.5052123394644804e-08);
    p = __builtin_fma(p, z, 2.7557319155367593e-06);
    p = __builtin_fma(p, z, 0.00019841269841437565);
    p = __builtin_fma(p, z, 0.008333333333333139);
    p = __builtin_fma(p, z, 0.16666666666666669);
    const double y = a < 1.0 ? __builtin_fma(a * z, p, a) : half - 0.25 / half;
    return x != x ? x : __builtin_copysign(y, x);
}
