// The smallest whole number not below x.
static __device__ inline REAL ceil_TYPE(REAL x) {
    return __builtin_ceilF(x);
}
