// (e**x + e**-x)/2, computed in double and rounded once.
static __device__ inline float cosh_f32(float x) {
    const double e = exp_narrow(__builtin_fabsf(x));
    return (float)(0.5 * (e + 1.0 / e));
}
