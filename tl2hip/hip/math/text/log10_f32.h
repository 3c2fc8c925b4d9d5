// log10 x, computed in double and rounded once.
static __device__ inline float log10_f32(float x) {
    const double y = log_narrow((double)x) * 0.4342944819032518;
    if (x == 0.0f) return -__builtin_inff();
    if (x < 0.0f) return __builtin_nanf("");
    return x < __builtin_inff() ? (float)y : x;
}
