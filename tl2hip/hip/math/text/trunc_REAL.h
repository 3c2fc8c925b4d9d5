// x without its fraction.
static __device__ inline REAL trunc_TYPE(REAL x) {
    return __builtin_truncF(x);
}
