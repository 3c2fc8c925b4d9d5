// The angle of (x, y). With t = smaller/larger of |x| and |y|, above tan(pi/8) atan t = pi/4 + atan((t -
// 1)/(t + 1)); numerator, denominator, quotient and the sum with multiples of pi/4 are carried as pairs.
static __device__ inline double atan2_f64(double y, double x) {
    const double across = __builtin_fabs(x), up = __builtin_fabs(y);
    const bool steep = up > across;
    const bool infinite = across == up && up == __builtin_inf();
    double large = infinite ? 1.0 : (steep ? up : across);
    double small = infinite ? 1.0 : (steep ? across : up);
    // Away from overflow and from losing bits of the quotient's rounding error.
    const double scale = large > 0x1p1000 ? 0x1p-200 : large < 0x1p-500 ? 0x1p500 : 1.0;
    large *= scale;
    small *= scale;
    const bool diagonal = small > 0.4142135623730950 * large;
    const pair_f64 difference = diagonal ? add_ordered(-large, small) : pair_f64{small, 0.0};
    const pair_f64 sum = diagonal ? add_ordered(large, small) : pair_f64{large, 0.0};
    const double t = difference.high / sum.high;
    const double t_rest =
        __builtin_fma(-t, sum.high, difference.high) + __builtin_fma(-t, sum.low, difference.low);
    const double z = t * t;
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
    // The rest does not matter in a tiny angle, where it may have lost its bits, nor in that of (0, 0).
    const bool tiny = !(t > 0x1p-30 || t < -0x1p-30);
    const double angle_high = large == 0.0 ? 0.0 : t;
    const double angle_low = tiny ? 0.0 : __builtin_fma(t * z, p, t_rest / sum.high);
    // Quarter turns to add, as a multiple of pi/4, and whether the small angle counts down.
    const bool down = steep != (bool)__builtin_signbit(x);
    const double sign = down ? -1.0 : 1.0;
    const double side = __builtin_signbit(x) ? 4.0 : 0.0;
    const double eighths = (steep ? 2.0 : side) + (diagonal ? sign : 0.0);
    if (x != x || y != y) return x + y;
    const pair_f64 head = add_ordered(eighths * 0.7853981633974483, sign * angle_high);
    const double rest = head.low + __builtin_fma(eighths, 3.061616997868383e-17, sign * angle_low);
    return __builtin_copysign(head.high + rest, y);
}
