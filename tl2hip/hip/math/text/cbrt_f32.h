// The cube root, computed in double and rounded once. |x| = 8**q * m * 2**r with m in [1, 2), r in 0..2;
// a polynomial of m and one third-order step.
static __device__ inline float cbrt_f32(float x) {
    const double a = __builtin_fabsf(x);
    const long long bits = __builtin_bit_cast(long long, a);
    const unsigned int power = (unsigned int)((int)(bits >> 52) - 1023 + 2049);
    const int q = (int)(power / 3u) - 683;
    const unsigned int r = power % 3u;
    const double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
    const double whole = m * (r == 0u ? 1.0 : r == 1u ? 2.0 : 4.0);
    double y = -0.01060415038929394;
    y = __builtin_fma(y, m, 0.08609288201181912);
    y = __builtin_fma(y, m, -0.3006149494380796);
    y = __builtin_fma(y, m, 0.7181571875230152);
    y = __builtin_fma(y, m, 0.5069782308098639);
    y *= r == 0u ? 1.0 : r == 1u ? 1.2599210498948732 : 1.5874010519681996;
    const double error = __builtin_fma(y * y * y, 1.0 / whole, -1.0);
    y = __builtin_fma(y * error, __builtin_fma(error, 0.2222222222222222, -0.3333333333333333), y);
    const float result = __builtin_copysignf((float)__builtin_ldexp(y, q), x);
    return x == 0.0f || !(a < __builtin_inf()) ? x : result;
}
