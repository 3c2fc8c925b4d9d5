// x without its fraction: held within the 64-bit range, then wrapped to the narrower type; 0 for NaN.
static __device__ inline INT cast_TYPE_NAME(REAL x) {
    const bool direct = x >= -LIMIT32 && x < LIMIT32;
    return direct ? (INT)(int)x : (INT)cast_TYPE_i64(x);
}
