// sqrt(x*x + y*y), scaled by a power of two away from overflow and underflow; infinite if either is.
static __device__ inline double hypot_f64(double x, double y) {
    const double across = __builtin_fabs(x), up = __builtin_fabs(y);
    const bool infinite = across == __builtin_inf() || up == __builtin_inf();
    const double large = across > up ? across : up;
    const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
    const double back = large > 0x1p500 ? 0x1p600 : large < 0x1p-400 ? 0x1p-600 : 1.0;
    const double a = across * scale, b = up * scale;
    const double h = __builtin_sqrt(__builtin_fma(a, a, b * b)) * back;
    return infinite ? __builtin_inf() : h;
}
