// e**x. x = n*ln2 + r with |r| <= ln2/2; e**r is a polynomial, 2**n an exponent. In single precision
// throughout: about 15 vector instructions, no branch.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    float r = __builtin_fmaf(n, -0.6931472f, x);
    r = __builtin_fmaf(n, 1.9046542e-09f, r);
    float p = 0.0013814598f;
    p = __builtin_fmaf(p, r, 0.008368713f);
    p = __builtin_fmaf(p, r, 0.04166839f);
    p = __builtin_fmaf(p, r, 0.16666521f);
    p = __builtin_fmaf(p, r, 0.49999994f);
    p = __builtin_fmaf(p, r, 1.0f);
    p = __builtin_fmaf(p, r, 1.0f);
    const float y = __builtin_ldexpf(p, (int)n);
    return x < -104.0f ? 0.0f : y;
}
