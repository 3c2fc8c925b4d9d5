// x % y as numpy.remainder: the exact rest with the sign of y.
static __device__ inline REAL mod_TYPE(REAL x, REAL y) {
    const REAL rest = fmod_TYPE(x, y);
    if (y == 0) return rest;
    if (rest == 0) return __builtin_copysignF(ZERO, y);
    return (y < 0) != (rest < 0) ? rest + y : rest;
}
