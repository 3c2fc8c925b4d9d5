// ln(1 + x), computed in double and rounded once. Below 2**-20 the series x - x*x/2 is exact enough.
static __device__ inline float log1p_f32(float x) {
    const double wide = x;
    const double near = __builtin_fma(wide * wide, -0.5, wide);
    const double y = __builtin_fabsf(x) < 0x1p-20f ? near : log_narrow(1.0 + wide);
    const float special = x == -1.0f ? -__builtin_inff() : (x < -1.0f ? __builtin_nanf("") : x);
    const bool direct = x > -1.0f && x < __builtin_inff() && x != 0.0f;
    return direct ? (float)y : special;
}
