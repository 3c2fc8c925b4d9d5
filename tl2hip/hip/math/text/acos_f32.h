// acos x, computed in double and rounded once. Above 1/2: 2*asin(sqrt((1 - |x|)/2)), below -1/2 pi minus
// that.
static __device__ inline float acos_f32(float x) {
    const double wide = x, a = __builtin_fabs(wide);
    const bool outer = a > 0.5;
    const double z = outer ? __builtin_fma(a, -0.5, 0.5) : a * a;
    const double s = outer ? __builtin_sqrt(z) : wide;
    double p = 0.03757483086370456;
    p = __builtin_fma(p, z, 0.014396513065554513);
    p = __builtin_fma(p, z, 0.031819000005178906);
    p = __builtin_fma(p, z, 0.044515583090197444);
    p = __builtin_fma(p, z, 0.07500511473327555);
    p = __builtin_fma(p, z, 0.16666659864954622);
    const double inner = __builtin_fma(s * z, p, s);
    const double far = x < 0.0f ? __builtin_fma(inner, -2.0, 3.141592653589793) : 2.0 * inner;
    return (float)(outer ? far : 1.5707963267948966 - inner);
}
