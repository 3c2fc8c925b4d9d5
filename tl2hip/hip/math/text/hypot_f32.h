// sqrt(x*x + y*y), computed in double and rounded once; infinite if either is.
static __device__ inline float hypot_f32(float x, float y) {
    const double a = x, b = y;
    const float h = (float)__builtin_sqrt(__builtin_fma(a, a, b * b));
    const bool infinite = __builtin_fabs(a) == __builtin_inf() || __builtin_fabs(b) == __builtin_inf();
    return infinite ? __builtin_inff() : h;
}
