// x to a whole power, wrapping like the products.
static __device__ inline INT ipow_NAME(INT x, INT power) {
    WIDE result = 1, square = (WIDE)x;
    for (WIDE left = (WIDE)power; left != 0; left >>= 1) {
        if (left & 1) result *= square;
        square *= square;
    }
    return (INT)result;
}
