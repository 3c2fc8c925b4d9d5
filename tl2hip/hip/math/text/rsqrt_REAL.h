// 1/sqrt x: the rounded quotient by the rounded root, as `1 / sqrt(x)` written out gives it.
static __device__ inline REAL rsqrt_TYPE(REAL x) {
    return ONE / __builtin_sqrtF(x);
}
