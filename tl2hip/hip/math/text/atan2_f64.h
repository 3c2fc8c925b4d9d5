// The angle of (x, y). With t = smaller/larger of |x| and |y|, above tan(pi/8) atan t = pi/4 + atan((t -
// 1)/(t + 1)); numerator, denominator, quotient and the sum with multiples of pi/4 are carried as pairs.
static __device__ inline double atan2_f64(double y, double x) {
    const double across = __builtin_fabs(x), up = __builtin_fabs(y);
    const bool steep = up > across;
    double large = steep ? up : across, small = steep ? across : up;
    // Away from overflow and from losing bits of the quotient's rounding error.
    const double scale = large > 0x1p1000 ? 0x1p-200 : large < 0x1p-500 ? 0x1p500 : 1.0;
    large *= scale;
    small *= scale;
    const bool diagonal = small > 0.4142135623730950 * large;
    const pair_f64 zero = {0.0, 0.0};
    const pair_f64 difference = diagonal ? add_ordered(-large, small) : pair_f64{small, 0.0};
    const pair_f64 sum = diagonal ? add_ordered(large, small) : pair_f64{large, 0.0};
    const double t = difference.high / sum.high;
    const double t_rest =
        __builtin_fma(-t, sum.high, difference.high) + __builtin_fma(-t, sum.low, difference.low);
    pair_f64 angle = {t, t_rest / sum.high};
    if (large == 0.0 || small == __builtin_inf()) angle = zero;
    const double z = angle.high * angle.high;
    double p = -0.017907110361103686;
    p = __builtin_fma(p, z, 0.038064761920868516);
    p = __builtin_fma(p, z, -0.05039324205202849);
    p = __builtin_fma(p, z, 0.05847896186247899);
    p = __builtin_fma(p, z, -0.06663105334240783);
    p = __builtin_fma(p, z, 0.07692060355828073);
    p = __builtin_fma(p, z, -0.09090897767061581);
    p = __builtin_fma(p, z, 0.11111110783826604);
    p = __builtin_fma(p, z, -0.14285714280204534);
    p = __builtin_fma(p, z, 0.1999999999995367);
    p = __builtin_fma(p, z, -0.333333333333332);
    const bool tiny = __builtin_fabs(angle.high) < 0x1p-30;
    angle.low = tiny ? 0.0 : __builtin_fma(angle.high * z, p, angle.low);
    // Quarter turns to add, as a multiple of pi/4, and whether the small angle counts down.
    const bool down = steep != (bool)__builtin_signbit(x);
    const double sign = down ? -1.0 : 1.0;
    const double side = __builtin_signbit(x) ? 4.0 : 0.0;
    const double eighths = (steep ? 2.0 : side) + (diagonal ? sign : 0.0);
    if (x != x || y != y) return x + y;
    const pair_f64 head = add_ordered(eighths * 0.7853981633974483, sign * angle.high);
    const double rest = head.low + __builtin_fma(eighths, 3.061616997868383e-17, sign * angle.low);
    return __builtin_copysign(head.high + rest, y);
}
