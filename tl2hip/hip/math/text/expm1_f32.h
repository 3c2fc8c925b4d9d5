// e**x - 1, computed in double and rounded once. x = n*ln2 + r; the result is 2**n*(e**r - 1) + (2**n -
// 1).
static __device__ inline float expm1_f32(float x) {
    const double wide = __builtin_fmin(__builtin_fmax((double)x, -100.0), 100.0);
    const double n = __builtin_rint(wide * 1.4426950408889634);
    const double r = __builtin_fma(n, -0.6931471805599453, wide);
    double p = 2.4708714990076213e-05;
    p = __builtin_fma(p, r, 0.00019908937569493843);
    p = __builtin_fma(p, r, 0.0013889196177918417);
    p = __builtin_fma(p, r, 0.008333281811506258);
    p = __builtin_fma(p, r, 0.04166666441128949);
    p = __builtin_fma(p, r, 0.1666666678442233);
    p = __builtin_fma(p, r, 0.5000000000425723);
    const double q = __builtin_fma(r * r, p, r);
    const double scale = __builtin_ldexp(1.0, (int)n);
    const double y = __builtin_fma(scale, q, scale - 1.0);
    return x != x || x == 0.0f ? x : (float)y;
}
