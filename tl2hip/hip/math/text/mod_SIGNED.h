// x % y with the sign of y; 0 for y = 0.
static __device__ inline INT mod_NAME(INT x, INT y) {
    if (y == 0 || y == -1) return 0;
    const INT rest = (INT)(x % y);
    return rest != 0 && (rest < 0) != (y < 0) ? (INT)(rest + y) : rest;
}
