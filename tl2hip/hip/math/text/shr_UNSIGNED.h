// x >> count; 0 for a count of BITS or more, as NumPy.
static __device__ inline INT shr_NAME(INT x, INT count) {
    return count < BITSu ? (INT)(x >> count) : (INT)0;
}
