// erfc a for a >= 1/2: e**(-a*a) * g/(1 + 2a), a*a as a pair, g a polynomial in (a - 4)/(a + 4).
static __device__ inline double erfc_tail(double a) {
    const double t = (a - 4.0) / (a + 4.0);
    double g = 1.8769449670004114e-09;
    g = __builtin_fma(g, t, -9.69131513651584e-09);
    g = __builtin_fma(g, t, -1.8109230668641698e-08);
    g = __builtin_fma(g, t, 1.03371550962101e-07);
    g = __builtin_fma(g, t, 7.500134502415785e-08);
    g = __builtin_fma(g, t, -8.196530578313848e-07);
    g = __builtin_fma(g, t, 2.9344127138534834e-07);
    g = __builtin_fma(g, t, 5.706596431335655e-06);
    g = __builtin_fma(g, t, -1.1221816497168594e-05);
    g = __builtin_fma(g, t, -2.4398101174734612e-05);
    g = __builtin_fma(g, t, 0.00015062160116010112);
    g = __builtin_fma(g, t, -0.00019925695361869424);
    g = __builtin_fma(g, t, -0.0007577732724239647);
    g = __builtin_fma(g, t, 0.005031970016534795);
    g = __builtin_fma(g, t, -0.016197734059959973);
    g = __builtin_fma(g, t, 0.03716751553400218);
    g = __builtin_fma(g, t, -0.06633036581204703);
    g = __builtin_fma(g, t, 0.0937328349985227);
    g = __builtin_fma(g, t, -0.10103906603631138);
    g = __builtin_fma(g, t, 0.06809705425468875);
    g = __builtin_fma(g, t, 0.015379652102619858);
    g = __builtin_fma(g, t, -0.1396211168405625);
    g = __builtin_fma(g, t, 1.2329951186255526);
    const pair_f64 square = multiply_exact(a, a);
    return exp_pair(-square.high, -square.low, 0) * (g / __builtin_fma(2.0, a, 1.0));
}
