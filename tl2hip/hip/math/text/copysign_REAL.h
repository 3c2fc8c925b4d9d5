// x with the sign of y, also for zero and NaN.
static __device__ inline REAL copysign_TYPE(REAL x, REAL y) {
    return __builtin_copysignF(x, y);
}
