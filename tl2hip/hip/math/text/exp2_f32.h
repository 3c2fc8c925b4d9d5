// 2**x. x = n + r with |r| <= 1/2, both exact; 2**r is a polynomial, 2**n an exponent.
static __device__ inline float exp2_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x, -160.0f), 130.0f));
    const float r = x - n;
    float p = 0.0001535254f;
    p = __builtin_fmaf(p, r, 0.001339888f);
    p = __builtin_fmaf(p, r, 0.009618442f);
    p = __builtin_fmaf(p, r, 0.055503324f);
    p = __builtin_fmaf(p, r, 0.24022648f);
    p = __builtin_fmaf(p, r, 0.6931472f);
    p = __builtin_fmaf(p, r, 1.0f);
    const float y = __builtin_ldexpf(p, (int)n);
    return x < -151.0f ? 0.0f : y;
}
