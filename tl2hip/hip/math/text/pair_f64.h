// A number as the unevaluated sum of two doubles, and sums and products without rounding error.
struct pair_f64 {
    double high, low;
};

// a + b exactly, for |a| >= |b| or a == 0.
static __device__ inline pair_f64 add_ordered(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// a + b exactly, for any a and b.
static __device__ inline pair_f64 add_exact(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// a * b exactly.
static __device__ inline pair_f64 multiply_exact(double a, double b) {
    const double product = a * b;
    return {product, __builtin_fma(a, b, -product)};
}
