// 2**x. x = n + r with |r| <= 1/2, both exact; 2**r is a polynomial, 2**n an exponent.
static __device__ inline double exp2_f64(double x) {
    const double n = __builtin_rint(__builtin_fmin(__builtin_fmax(x, -1100.0), 1100.0));
    const double r = x - n;
    double p = 4.4347665355744663e-10;
    p = __builtin_fma(p, r, 7.073782485913467e-09);
    p = __builtin_fma(p, r, 1.0178199607513304e-07);
    p = __builtin_fma(p, r, 1.3215435287163748e-06);
    p = __builtin_fma(p, r, 1.525273349304443e-05);
    p = __builtin_fma(p, r, 0.00015403530457101631);
    p = __builtin_fma(p, r, 0.0013333558146774679);
    p = __builtin_fma(p, r, 0.00961812910759413);
    p = __builtin_fma(p, r, 0.055504108664820084);
    p = __builtin_fma(p, r, 0.2402265069591013);
    p = __builtin_fma(p, r, 0.6931471805599453);
    p = __builtin_fma(p, r, 1.0);
    const double y = __builtin_ldexp(p, (int)n);
    return x < -1076.0 ? 0.0 : y;
}
