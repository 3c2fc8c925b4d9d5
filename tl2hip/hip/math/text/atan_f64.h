// The angle whose tangent is x.
static __device__ inline double atan_f64(double x) {
    return atan2_f64(x, 1.0);
}
