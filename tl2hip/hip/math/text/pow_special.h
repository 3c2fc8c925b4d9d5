// x**y from `magnitude`, which is |x|**y for a finite |x| above 0 and a finite y: the sign, and what C's
// Annex F fixes for zero, infinite and NaN arguments and a negative x.
static __device__ inline double pow_special(double x, double y, double magnitude) {
    const double a = __builtin_fabs(x);
    const bool whole = __builtin_trunc(y) == y;
    const bool odd = whole && __builtin_trunc(y * 0.5) != y * 0.5;
    double result = magnitude;
    if (a == 0.0 || a == __builtin_inf()) result = (a == 0.0) == (y < 0.0) ? __builtin_inf() : 0.0;
    if (__builtin_fabs(y) == __builtin_inf()) {
        const double far = (a > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
        result = a == 1.0 ? 1.0 : far;
    }
    if (odd) result = __builtin_copysign(result, x);
    if (x < 0.0 && a < __builtin_inf() && !whole) result = __builtin_nan("");
    if (x != x || y != y) result = x + y;
    return x == 1.0 || y == 0.0 ? 1.0 : result;
}
