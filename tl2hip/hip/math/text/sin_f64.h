// sin x for every finite x: reduced by multiples of pi/2.
static __device__ inline double sin_f64(double x) {
    const reduced_f64 part = reduce_f64(x);
    const double value = part.quadrant & 1 ? cos_rest_f64(part) : sin_rest_f64(part);
    if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
    return __builtin_fabs(x) < 0x1p-30 ? x : (part.quadrant & 2 ? -value : value);
}
