// The smaller; the other one if one is NaN, as numpy.fmin.
static __device__ inline REAL fmin_TYPE(REAL x, REAL y) {
    return x <= y || y != y ? x : y;
}
