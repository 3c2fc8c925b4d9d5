// The exact rest of x/y with the sign of x. In double, where no float is subnormal: each round takes a
// multiple of y * 2**gap away, at most 51 bits of the quotient, and is exact; a quotient rounded up is
// undone.
static __device__ inline float fmod_f32(float x, float y) {
    double rest = __builtin_fabsf(x);
    const double divisor = __builtin_fabsf(y);
    if (!(divisor > 0.0) || !(rest < __builtin_inf())) return __builtin_nanf("");
    while (rest >= divisor) {
        const int gap = (int)(__builtin_bit_cast(long long, rest) >> 52) -
                        (int)(__builtin_bit_cast(long long, divisor) >> 52) - 50;
        const double step = gap > 0 ? __builtin_ldexp(divisor, gap) : divisor;
        rest = __builtin_fma(-__builtin_trunc(rest / step), step, rest);
        if (rest < 0.0) rest += step;
    }
    return __builtin_copysignf((float)rest, x);
}
