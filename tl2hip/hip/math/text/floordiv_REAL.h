// x // y as numpy.floor_divide: (x - rest)/y, one less where the rest has the other sign than y, then
// brought to the nearest whole number; x/y for y = 0.
static __device__ inline REAL floordiv_TYPE(REAL x, REAL y) {
    const REAL quotient = x / y;
    if (y == 0) return quotient;
    const REAL rest = fmod_TYPE(x, y);
    REAL whole = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) whole -= ONE;
    if (whole == 0) return __builtin_copysignF(ZERO, quotient);
    const REAL below = __builtin_floorF(whole);
    return whole - below > HALF ? below + ONE : below;
}
