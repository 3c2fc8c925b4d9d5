// cos x for every finite x: reduced by multiples of pi/2, computed in double, rounded once.
static __device__ inline float cos_f32(float x) {
    const reduced_f32 part = reduce_f32(x);
    const double value = part.quadrant & 1 ? sin_rest_f32(part.rest) : cos_rest_f32(part.rest);
    const float y = (float)((part.quadrant + 1) & 2 ? -value : value);
    return __builtin_fabsf(x) < __builtin_inff() ? y : x - x;
}
