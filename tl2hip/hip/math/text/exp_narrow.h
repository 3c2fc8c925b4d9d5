// e**x for a double, right to about 2**-39: enough to round once to float. |x| may be anything.
static __device__ inline double exp_narrow(double x) {
    const double turns = __builtin_fmin(__builtin_fmax(x * 1.4426950408889634, -1100.0), 1100.0);
    const double n = __builtin_rint(turns);
    const double r = __builtin_fma(n, -0.6931471805599453, x);
    double p = 2.4708714990076213e-05;
    p = __builtin_fma(p, r, 0.00019908937569493843);
    p = __builtin_fma(p, r, 0.0013889196177918417);
    p = __builtin_fma(p, r, 0.008333281811506258);
    p = __builtin_fma(p, r, 0.04166666441128949);
    p = __builtin_fma(p, r, 0.1666666678442233);
    p = __builtin_fma(p, r, 0.5000000000425723);
    p = __builtin_fma(p, r, 1.0);
    p = __builtin_fma(p, r, 1.0);
    const double y = __builtin_ldexp(p, (int)n);
    return x < -746.0 ? 0.0 : y;
}
