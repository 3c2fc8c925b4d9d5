// x without its fraction: held within the 64-bit range, then wrapped to 32 bits; 0 for NaN.
static __device__ inline unsigned int cast_TYPE_u32(REAL x) {
    const bool direct = x >= 0 && x < LIMIT32 + LIMIT32;
    return direct ? (unsigned int)x : (unsigned int)cast_TYPE_i64(x);
}
