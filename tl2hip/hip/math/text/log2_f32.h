// log2 x. x = 2**k * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); log2(1 + f) = f * (c + p(f)), c the
// nearest float.
static __device__ inline float log2_f32(float x) {
    const bool small = x < 0x1p-126f;
    const unsigned int bits = __builtin_bit_cast(unsigned int, small ? x * 0x1p25f : x);
    const int k = (int)(bits - 0x3f3504f3u) >> 23;
    const float f = __builtin_bit_cast(float, bits - ((unsigned int)k << 23)) - 1.0f;
    const float n = (float)(small ? k - 25 : k);
    float p = -0.10994127f;
    p = __builtin_fmaf(p, f, 0.18618561f);
    p = __builtin_fmaf(p, f, -0.19107208f);
    p = __builtin_fmaf(p, f, 0.20459956f);
    p = __builtin_fmaf(p, f, -0.23961607f);
    p = __builtin_fmaf(p, f, 0.28856742f);
    p = __builtin_fmaf(p, f, -0.3606967f);
    p = __builtin_fmaf(p, f, 0.48089823f);
    p = __builtin_fmaf(p, f, -0.72134733f);
    p = __builtin_fmaf(p, f, 1.9195534e-08f);
    const float y = n + __builtin_fmaf(f, 1.442695f, f * p);
    const float special = x == 0.0f ? -__builtin_inff() : (x < 0.0f ? __builtin_nanf("") : x);
    return x > 0.0f && x < __builtin_inff() ? y : special;
}
