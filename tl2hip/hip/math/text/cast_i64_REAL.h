// x without its fraction, held within the 64-bit range; 0 for NaN.
static __device__ inline long long cast_TYPE_i64(REAL x) {
    if (x != x) return 0;
    if (x >= LIMIT64) return 0x7fffffffffffffffll;
    if (x < -LIMIT64) return -0x7fffffffffffffffll - 1;
    return (long long)x;
}
