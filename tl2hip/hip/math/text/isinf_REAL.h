// Whether x is an infinity of either sign.
static __device__ inline bool isinf_TYPE(REAL x) {
    return __builtin_fabsF(x) == __builtin_infF();
}
