// x >> count, the sign kept; for a count outside 0..BITS-1 -1 or 0 by the sign of x, as NumPy.
static __device__ inline INT shr_NAME(INT x, INT count) {
    return (INT)(x >> ((WIDE)count < BITSu ? count : (INT)(BITS - 1)));
}
