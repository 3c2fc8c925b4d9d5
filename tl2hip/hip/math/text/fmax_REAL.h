// The larger; the other one if one is NaN, as numpy.fmax.
static __device__ inline REAL fmax_TYPE(REAL x, REAL y) {
    return x >= y || y != y ? x : y;
}
