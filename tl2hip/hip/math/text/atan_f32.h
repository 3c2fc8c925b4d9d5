// The angle whose tangent is x.
static __device__ inline float atan_f32(float x) {
    return atan2_f32(x, 1.0f);
}
