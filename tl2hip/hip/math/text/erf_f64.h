// erf x: a polynomial in x*x below 1, its first coefficient in two parts; above, 1 - erfc |x|.
static __device__ inline double erf_f64(double x) {
    const double a = __builtin_fmin(__builtin_fabs(x), 7.0), z = a * a;
    double p = 5.97086751468042e-11;
    p = __builtin_fma(p, z, -1.1381304646929193e-09);
    p = __builtin_fma(p, z, 1.4662069981955866e-08);
    p = __builtin_fma(p, z, -1.6350672379366234e-07);
    p = __builtin_fma(p, z, 1.646103648375427e-06);
    p = __builtin_fma(p, z, -1.4925597668239506e-05);
    p = __builtin_fma(p, z, 0.00012055331219804874);
    p = __builtin_fma(p, z, -0.0008548326984095441);
    p = __builtin_fma(p, z, 0.005223977624881933);
    p = __builtin_fma(p, z, -0.02686617064508448);
    p = __builtin_fma(p, z, 0.1128379167095493);
    p = __builtin_fma(p, z, -0.3761263890318375);
    const double rest = a * __builtin_fma(z, p, 1.533545961316588e-17);
    const double inner = __builtin_fma(a, 1.1283791670955126, rest);
    const double outer = 1.0 - erfc_tail(a);
    return x != x ? x : __builtin_copysign(a < 1.0 ? inner : outer, x);
}
