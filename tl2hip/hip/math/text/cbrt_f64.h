// The cube root. |x| = 8**q * m * 2**r with m in [1, 2), r in 0..2. A polynomial of m starts it, one
// third-order step brings 2**-40, a Newton step with the exact residual the rest.
static __device__ inline double cbrt_f64(double x) {
    const double a = __builtin_fabs(x);
    const bool small = a < 0x1p-1022;
    const long long bits = __builtin_bit_cast(long long, small ? a * 0x1p54 : a);
    // 3*683 = 2049 > 1076: the shift keeps the dividend positive.
    const unsigned int power = (unsigned int)((int)(bits >> 52) - 1023 - (small ? 54 : 0) + 2049);
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
    const double reciprocal = 1.0 / whole;
    const double error = __builtin_fma(y * y * y, reciprocal, -1.0);
    y = __builtin_fma(y * error, __builtin_fma(error, 0.2222222222222222, -0.3333333333333333), y);
    const pair_f64 square = multiply_exact(y, y);
    const double residual = __builtin_fma(-square.high, y, whole) - square.low * y;
    y = __builtin_fma(residual * reciprocal, y * 0.3333333333333333, y);
    const double result = __builtin_copysign(__builtin_ldexp(y, q), x);
    return x == 0.0 || !(a < __builtin_inf()) ? x : result;
}
