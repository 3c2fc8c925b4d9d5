// e**x. x = n*ln2 + r with |r| <= ln2/2; e**r is a polynomial, 2**n an exponent. The first product n*ln2
// is exact inside the fma: n*ln2 and x are multiples of 2**-53 or close to each other.
static __device__ inline double exp_f64(double x) {
    const double turns = __builtin_fmin(__builtin_fmax(x * 1.4426950408889634, -1100.0), 1100.0);
    const double n = __builtin_rint(turns);
    double r = __builtin_fma(n, -0.6931471805599453, x);
    r = __builtin_fma(n, -2.3190468138462996e-17, r);
    double p = 2.500000037469611e-08;
    p = __builtin_fma(p, r, 2.763023397575735e-07);
    p = __builtin_fma(p, r, 2.755758664727253e-06);
    p = __builtin_fma(p, r, 2.4801493143589642e-05);
    p = __builtin_fma(p, r, 0.00019841269506169721);
    p = __builtin_fma(p, r, 0.00138888889435805);
    p = __builtin_fma(p, r, 0.008333333333494682);
    p = __builtin_fma(p, r, 0.04166666666653038);
    p = __builtin_fma(p, r, 0.16666666666666413);
    p = __builtin_fma(p, r, 0.5000000000000011);
    p = __builtin_fma(p, r, 1.0);
    p = __builtin_fma(p, r, 1.0);
    const double y = __builtin_ldexp(p, (int)n);
    return x < -746.0 ? 0.0 : y;
}
