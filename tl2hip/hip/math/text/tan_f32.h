// tan x for every finite x: reduced by multiples of pi/2, sine over cosine in double, rounded once.
static __device__ inline float tan_f32(float x) {
    const reduced_f32 part = reduce_f32(x);
    const double s = sin_rest_f32(part.rest), c = cos_rest_f32(part.rest);
    const float y = (float)(part.quadrant & 1 ? -c / s : s / c);
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    return x == 0.0f ? x : y;
}
