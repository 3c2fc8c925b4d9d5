// ln x. x = 2**k * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); ln(1 + f) = f - f*f/2 + f**3 * p(f). In
// single precision throughout. k times the first part of ln2 (16 bits) is exact.
static __device__ inline float log_f32(float x) {
    const bool small = x < 0x1p-126f;
    const unsigned int bits = __builtin_bit_cast(unsigned int, small ? x * 0x1p25f : x);
    const int k = (int)(bits - 0x3f3504f3u) >> 23;
    const float f = __builtin_bit_cast(float, bits - ((unsigned int)k << 23)) - 1.0f;
    const float n = (float)(small ? k - 25 : k);
    float p = -0.07634701f;
    p = __builtin_fmaf(p, f, 0.12761624f);
    p = __builtin_fmaf(p, f, -0.1316014f);
    p = __builtin_fmaf(p, f, 0.14201754f);
    p = __builtin_fmaf(p, f, -0.16623361f);
    p = __builtin_fmaf(p, f, 0.20001227f);
    p = __builtin_fmaf(p, f, -0.2500082f);
    p = __builtin_fmaf(p, f, 0.3333333f);
    const float z = f * f;
    const float rest = __builtin_fmaf(f * p, z, z * -0.5f);
    const float y = __builtin_fmaf(n, 0.693145751953125f, f + __builtin_fmaf(n, 1.4286068e-06f, rest));
    const float special = x == 0.0f ? -__builtin_inff() : (x < 0.0f ? __builtin_nanf("") : x);
    return x > 0.0f && x < __builtin_inff() ? y : special;
}
