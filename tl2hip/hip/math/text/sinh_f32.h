// (e**x - e**-x)/2, computed in double and rounded once; below 1 a polynomial in x*x.
static __device__ inline float sinh_f32(float x) {
    const double a = __builtin_fabsf(x), z = a * a;
    const double e = exp_narrow(a);
    double p = 2.817438590275964e-06;
    p = __builtin_fma(p, z, 0.00019836066698881755);
    p = __builtin_fma(p, z, 0.008333350593818466);
    p = __builtin_fma(p, z, 0.16666666488803555);
    const double y = a < 1.0 ? __builtin_fma(a * z, p, a) : 0.5 * (e - 1.0 / e);
    return __builtin_copysignf((float)y, x);
}
