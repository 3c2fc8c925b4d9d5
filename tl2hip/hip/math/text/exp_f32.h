// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
}
