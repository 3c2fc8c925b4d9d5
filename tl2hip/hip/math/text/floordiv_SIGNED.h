// x // y rounded down; 0 for y = 0, and the least value // -1 wraps to itself.
static __device__ inline INT floordiv_NAME(INT x, INT y) {
    if (y == 0) return 0;
    if (y == -1) return (INT)(0u - (UINT)x);
    const INT quotient = (INT)(x / y), rest = (INT)(x - quotient * y);
    return (INT)(quotient - (rest != 0 && (rest < 0) != (y < 0)));
}
