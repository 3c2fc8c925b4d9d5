// The smaller; NaN if either is, as numpy.minimum.
static __device__ inline REAL minimum_TYPE(REAL x, REAL y) {
    return x <= y || x != x ? x : y;
}
