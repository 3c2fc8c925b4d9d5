// The nearest whole number, halves to even.
static __device__ inline REAL rint_TYPE(REAL x) {
    return __builtin_rintF(x);
}
