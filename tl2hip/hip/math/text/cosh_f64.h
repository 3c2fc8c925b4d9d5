// (e**x + e**-x)/2. Half of e**x is formed directly, so that it overflows only with the result.
static __device__ inline double cosh_f64(double x) {
    const double half = exp_pair(__builtin_fmin(__builtin_fabs(x), 750.0), 0.0, -1);
    return x != x ? x : half + 0.25 / half;
}
