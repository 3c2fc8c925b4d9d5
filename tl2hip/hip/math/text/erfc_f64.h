// erfc x: from 1/2 on the tail; below -1/2 two minus the tail; between, 1 - erf x.
static __device__ inline double erfc_f64(double x) {
    const double a = __builtin_fabs(x);
    const double tail = erfc_tail(__builtin_fmin(a, 30.0));
    if (x != x) return x;
    if (a < 0.5) return 1.0 - erf_f64(x);
    return x < 0.0 ? 2.0 - tail : tail;
}
