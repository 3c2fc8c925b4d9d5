// The exponent of a positive finite x, subnormal numbers included, up to a constant.
static __device__ inline int exponent_of(double x) {
    const bool small = x < 0x1p-1022;
    return (int)(__builtin_bit_cast(long long, small ? x * 0x1p54 : x) >> 52) - (small ? 54 : 0);
}

// The exact rest of x/y with the sign of x. Each round takes a multiple of y * 2**gap away, at most 51
// bits of the quotient, and is exact; a quotient rounded up is undone.
static __device__ inline double fmod_f64(double x, double y) {
    double rest = __builtin_fabs(x);
    const double divisor = __builtin_fabs(y);
    if (!(divisor > 0.0) || !(rest < __builtin_inf())) return __builtin_nan("");
    while (rest >= divisor) {
        const int gap = exponent_of(rest) - exponent_of(divisor) - 50;
        const double step = gap > 0 ? __builtin_ldexp(divisor, gap) : divisor;
        rest = __builtin_fma(-__builtin_trunc(rest / step), step, rest);
        if (rest < 0.0) rest += step;
    }
    return __builtin_copysign(rest, x);
}
