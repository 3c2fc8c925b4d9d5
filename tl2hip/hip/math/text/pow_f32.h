// x**y = e**(y ln|x|), computed in double and rounded once; special cases as C's Annex F.
static __device__ inline float pow_f32(float x, float y) {
    return (float)pow_special(x, y, exp_narrow((double)y * log_narrow(__builtin_fabs((double)x))));
}
