// The larger; NaN if either is, as numpy.maximum.
static __device__ inline REAL maximum_TYPE(REAL x, REAL y) {
    return x >= y || x != x ? x : y;
}
