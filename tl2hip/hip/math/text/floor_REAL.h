// The largest whole number not above x.
static __device__ inline REAL floor_TYPE(REAL x) {
    return __builtin_floorF(x);
}
