// Whether x is not a number.
static __device__ inline bool isnan_TYPE(REAL x) {
    return x != x;
}
