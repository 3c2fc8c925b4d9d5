// e**(high + low) * 2**shift, for |low| far below |high| <= 800, or high below -800 (which gives 0).
static __device__ inline double exp_pair(double high, double low, int shift) {
    const double n = __builtin_rint(__builtin_fmax(high, -1000.0) * 1.4426950408889634);
    const double head = __builtin_fma(n, -0.6931471805599453, high);
    const double tail = __builtin_fma(n, -2.3190468138462996e-17, low);
    const double r = head + tail;
    const double c = (head - r) + tail;
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
    const double y = 1.0 + (r + __builtin_fma(r * r, p, c));
    return high < -800.0 ? 0.0 : __builtin_ldexp(y, (int)n + shift);
}
