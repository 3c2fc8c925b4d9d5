// asin x, computed in double and rounded once. Above 1/2: pi/2 - 2*asin(sqrt((1 - |x|)/2)).
static __device__ inline float asin_f32(float x) {
    const double a = __builtin_fabsf(x);
    const bool outer = a > 0.5;
    const double z = outer ? __builtin_fma(a, -0.5, 0.5) : a * a;
    const double s = outer ? __builtin_sqrt(z) : a;
    double p = 0.03757483086370456;
    p = __builtin_fma(p, z, 0.014396513065554513);
    p = __builtin_fma(p, z, 0.031819000005178906);
    p = __builtin_fma(p, z, 0.044515583090197444);
    p = __builtin_fma(p, z, 0.07500511473327555);
    p = __builtin_fma(p, z, 0.16666659864954622);
    const double inner = __builtin_fma(s * z, p, s);
    const double y = outer ? __builtin_fma(inner, -2.0, 1.5707963267948966) : inner;
    return x == 0.0f ? x : __builtin_copysignf((float)y, x);
}
