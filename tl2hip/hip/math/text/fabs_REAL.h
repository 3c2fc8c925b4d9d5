// x without its sign.
static __device__ inline REAL fabs_TYPE(REAL x) {
    return __builtin_fabsF(x);
}
