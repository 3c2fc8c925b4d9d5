// log10 x, computed in double and rounded once.
static __device__ inline float log10_f32(float x) {
    const double y = log_narrow((double)x) * 0.4342944819032518;
    const float special = x == 0.0f ? -__builtin_inff() : (x < 0.0f ? __builtin_nanf("") : x);
    return x > 0.0f && x < __builtin_inff() ? (float)y : special;
}
