// sin x for every finite x: reduced by multiples of pi/2, computed in double, rounded once.
static __device__ inline float sin_f32(float x) {
    const reduced_f32 part = reduce_f32(x);
    const double value = part.quadrant & 1 ? cos_rest_f32(part.rest) : sin_rest_f32(part.rest);
    const float y = (float)(part.quadrant & 2 ? -value : value);
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    return x == 0.0f ? x : y;
}
