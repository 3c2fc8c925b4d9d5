// The angle of (x, y), computed in double and rounded once. With t = smaller/larger of |x| and |y|, above
// tan(pi/8) atan t = pi/4 + atan((t - 1)/(t + 1)), one division either way.
static __device__ inline float atan2_f32(float y, float x) {
    const double across = __builtin_fabsf(x), up = __builtin_fabsf(y);
    const bool steep = up > across;
    const bool infinite = across == up && up == __builtin_inf();
    const double large = infinite ? 1.0 : (steep ? up : across);
    const double small = infinite ? 1.0 : (steep ? across : up);
    const bool diagonal = small > 0.4142135623730950 * large;
    const double quotient = (diagonal ? small - large : small) / (diagonal ? small + large : large);
    const double t = large == 0.0 ? 0.0 : quotient;
    const double z = t * t;
    double p = 0.047461719014892365;
    p = __builtin_fma(p, z, -0.08477483463975068);
    p = __builtin_fma(p, z, 0.11044948054707796);
    p = __builtin_fma(p, z, -0.1428203216488298);
    p = __builtin_fma(p, z, 0.19999904910213168);
    p = __builtin_fma(p, z, -0.3333333251212493);
    double angle = __builtin_fma(t * z, p, t) + (diagonal ? 0.7853981633974483 : 0.0);
    angle = steep ? 1.5707963267948966 - angle : angle;
    angle = __builtin_signbit(x) ? 3.141592653589793 - angle : angle;
    if (x != x || y != y) return x + y;
    return __builtin_copysignf((float)angle, y);
}
