// x << count; 0 for a count outside 0..BITS-1, as NumPy.
static __device__ inline INT shl_NAME(INT x, INT count) {
    return (WIDE)count < BITSu ? (INT)((WIDE)x << count) : (INT)0;
}
