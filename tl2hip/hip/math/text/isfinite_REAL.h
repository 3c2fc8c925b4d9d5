// Whether x is neither infinite nor NaN.
static __device__ inline bool isfinite_TYPE(REAL x) {
    return __builtin_fabsF(x) < __builtin_infF();
}
