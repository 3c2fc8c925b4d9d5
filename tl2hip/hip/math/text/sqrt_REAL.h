// The correctly rounded square root.
static __device__ inline REAL sqrt_TYPE(REAL x) {
    return __builtin_sqrtF(x);
}
