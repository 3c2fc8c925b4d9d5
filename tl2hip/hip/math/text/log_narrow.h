// ln x for a positive finite normal double, right to about 2**-37: enough to round once to float. x =
// 2**k * m, m in [sqrt(1/2), sqrt(2)); s = (m - 1)/(m + 1) and ln m = 2*s + s**3 * p(s*s).
static __device__ inline double log_narrow(double x) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    const int k = (int)((unsigned int)(bits >> 32) - 0x3fe6a09eu) >> 20;
    const double m = __builtin_bit_cast(double, bits - ((unsigned long long)k << 52));
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double p = 0.23584954755228132;
    p = __builtin_fma(p, z, 0.28537171977199377);
    p = __builtin_fma(p, z, 0.4000033713932907);
    p = __builtin_fma(p, z, 0.6666666563780707);
    return __builtin_fma((double)k, 0.6931471805599453, __builtin_fma(s * z, p, s + s));
}
