// cos x for every finite x: reduced by multiples of pi/2.
static __device__ inline double cos_f64(double x) {
    const reduced_f64 part = reduce_f64(x);
    const double value = part.quadrant & 1 ? sin_rest_f64(part) : cos_rest_f64(part);
    if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
    return (part.quadrant + 1) & 2 ? -value : value;
}
