// acos x = pi/2 - asin x up to |x| = 1/2. Above: 2*asin(s), s = sqrt((1 - |x|)/2) with its rounding
// error; below -1/2 pi minus that.
static __device__ inline double acos_f64(double x) {
    const double a = __builtin_fabs(x);
    const bool outer = a > 0.5;
    const double z = outer ? __builtin_fma(a, -0.5, 0.5) : a * a;
    const double s = outer ? __builtin_sqrt(z) : x;
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
    const double cube = s * z * p;
    if (!outer) {
        const pair_f64 head = add_ordered(1.5707963267948966, -x);
        return head.high + (head.low + (6.123233995736766e-17 - cube));
    }
    const double s_low = s == 0.0 ? 0.0 : __builtin_fma(-s, s, z) / (s + s);
    if (x > 0.0) return 2.0 * (s + (cube + s_low));
    const pair_f64 head = add_ordered(3.141592653589793, -2.0 * s);
    return head.high + (head.low + __builtin_fma(cube + s_low, -2.0, 1.2246467991473532e-16));
}
