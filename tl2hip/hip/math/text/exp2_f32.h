// 2**x = 2**n * 2**f. n is x to the nearest integer, held where the result is 0 or infinite anyway; f is what
// is left, exactly, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp2_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x, -160.0f), 130.0f));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(x - n), (int)n);
}
