// asin x = x + x**3 * p(x*x) up to 1/2. Above: pi/2 - 2*asin(s), s = sqrt((1 - |x|)/2) with its rounding
// error.
static __device__ inline double asin_f64(double x) {
    const double a = __builtin_fabs(x);
    const bool outer = a > 0.5;
    const double z = outer ? __builtin_fma(a, -0.5, 0.5) : a * a;
    const double s = outer ? __builtin_sqrt(z) : a;
    double p = 0.031981526247399805;
    p = __builtin_fma(p, z, -0.016326485900801876);
    p = __builtin_fma(p, z, 0.019594231227753653);
    p = __builtin_fma(p, z, 0.0065035517273386865);
    p = __builtin_fma(p, z, 0.012174937233117316);
    p = __builtin_fma(p, z, 0.013884350850303368);
    p = __builtin_fma(p, z, 0.01735979564413383);
    p = __builtin_fma(p, z, 0.022371751935151656);
    p = __builtin_fma(p, z, 0.030381959395622875);
    p = __builtin_fma(p, z, 0.044642856821976114);
    p = __builtin_fma(p, z, 0.07500000000344785);
    p = __builtin_fma(p, z, 0.16666666666665375);
    if (!outer) return a < 0x1p-30 ? x : __builtin_fma(x * z, p, x);
    const double s_low = s == 0.0 ? 0.0 : __builtin_fma(-s, s, z) / (s + s);
    const double rest = __builtin_fma(s * z, p, s_low);
    const pair_f64 head = add_ordered(1.5707963267948966, -2.0 * s);
    const double y = head.high + (head.low + __builtin_fma(rest, -2.0, 6.123233995736766e-17));
    return __builtin_copysign(y, x);
}
