// x % y; 0 for y = 0.
static __device__ inline INT mod_NAME(INT x, INT y) {
    return y == 0 ? (INT)0 : (INT)(x % y);
}
