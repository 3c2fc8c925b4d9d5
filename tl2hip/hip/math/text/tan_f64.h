// tan x for every finite x: reduced by multiples of pi/2, sine over cosine.
static __device__ inline double tan_f64(double x) {
    const reduced_f64 part = reduce_f64(x);
    const double s = sin_rest_f64(part), c = cos_rest_f64(part);
    const double y = part.quadrant & 1 ? -c / s : s / c;
    if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
    return __builtin_fabs(x) < 0x1p-30 ? x : y;
}
