// Matrix instructions as one table: shape, element types, and the lane maps of AMD's matrix instruction calculator.
//
// A and B: lane l, element j hold row (or column) l % M of block l / M % B, at k = P*(l / (M*B)) + j, P elements a lane.
// C and D: register r of lane l is column l % M, row G*g*(r/g) + g*(l / (M*B)) + r%g, with G = 64 / (M*B) lane
// groups and runs of g rows: 4, and 1 for f64. The order of the sum is not defined by the hardware; here k goes up.

#include "runtime.h"

struct Mfma {
    const void *a, *b, *c;
    void* d;
};

struct Half {
    _Float16 bits;
    operator float() const { return bits; }
};
struct Brain {
    u16 bits;
    operator float() const { return __builtin_bit_cast(float, (u32)bits << 16); }
};
// Ten bits of mantissa take part.
struct Xf32 {
    u32 bits;
    operator float() const { return __builtin_bit_cast(float, bits & 0xFFFFE000u); }
};
// FNUZ: no infinity, no negative zero (0x80 is NaN), bias one above the IEEE habit.
template <int MANTISSA, int BIAS>
struct Eight {
    u8 bits;
    operator float() const {
        if (bits == 0x80) return __builtin_nanf("");
        int exponent = (bits & 0x7F) >> MANTISSA, fraction = bits & ((1 << MANTISSA) - 1);
        float value = exponent ? (float)(fraction | 1 << MANTISSA) : (float)fraction;
        int power = (exponent ? exponent : 1) - BIAS - MANTISSA;
        value *= __builtin_bit_cast(float, (u32)(power + 127) << 23);
        return bits & 0x80 ? -value : value;
    }
};
typedef Eight<3, 8> Fp8;
typedef Eight<2, 16> Bf8;

template <class A, class B, class Sum, int M, int K, int BLOCKS, int RUN>
static void product(Lanes& wave, u64 present) {
    constexpr int PER_LANE = M * K * BLOCKS / 64, REGISTERS = M * M * BLOCKS / 64, GROUPS = 64 / (M * BLOCKS);
    if (present != ~0ul) {
        report(INACTIVE_LANE, ERROR, wave.site, NOWHERE, __builtin_ctzl(~present), nullptr, 0);
        return;
    }
    Sum a[BLOCKS][M][K], b[BLOCKS][K][M], d[BLOCKS][M][M];
    auto row_of = [](int l, int r) { return GROUPS * RUN * (r / RUN) + RUN * (l / (M * BLOCKS)) + r % RUN; };
    for (int l = 0; l < 64; ++l) {
        const Mfma& mine = *(const Mfma*)wave.arguments[l];
        int block = l / M % BLOCKS, i = l % M, k = PER_LANE * (l / (M * BLOCKS));
        for (int j = 0; j < PER_LANE; ++j) {
            a[block][i][k + j] = (Sum)((const A*)mine.a)[j];
            b[block][k + j][i] = (Sum)((const B*)mine.b)[j];
        }
        for (int r = 0; r < REGISTERS; ++r) d[block][row_of(l, r)][i] = ((const Sum*)mine.c)[r];
    }
    for (int block = 0; block < BLOCKS; ++block)
        for (int i = 0; i < M; ++i)
            for (int k = 0; k < K; ++k)
                for (int n = 0; n < M; ++n) d[block][i][n] += a[block][i][k] * b[block][k][n];
    for (int l = 0; l < 64; ++l) {
        Sum* out = (Sum*)((Mfma*)wave.arguments[l])->d;
        for (int r = 0; r < REGISTERS; ++r) out[r] = d[l / M % BLOCKS][row_of(l, r)][l % M];
    }
}

typedef signed char I8;
static const Meeting table[] = {
    product<Half, Half, float, 16, 16, 1, 4>,  product<Brain, Brain, float, 16, 16, 1, 4>,
    product<Half, Half, float, 32, 8, 1, 4>,   product<Brain, Brain, float, 32, 8, 1, 4>,
    product<float, float, float, 16, 4, 1, 4>, product<float, float, float, 32, 2, 1, 4>,
    product<Xf32, Xf32, float, 16, 8, 1, 4>,   product<Xf32, Xf32, float, 32, 4, 1, 4>,
    product<I8, I8, int, 16, 32, 1, 4>,        product<I8, I8, int, 32, 16, 1, 4>,
    product<Fp8, Fp8, float, 16, 32, 1, 4>,    product<Fp8, Bf8, float, 16, 32, 1, 4>,
    product<Bf8, Fp8, float, 16, 32, 1, 4>,    product<Bf8, Bf8, float, 16, 32, 1, 4>,
    product<Fp8, Fp8, float, 32, 16, 1, 4>,    product<Fp8, Bf8, float, 32, 16, 1, 4>,
    product<Bf8, Fp8, float, 32, 16, 1, 4>,    product<Bf8, Bf8, float, 32, 16, 1, 4>,
    product<double, double, double, 16, 4, 1, 1>, product<double, double, double, 4, 4, 4, 1>,
    product<Half, Half, float, 4, 4, 16, 4>,   product<Brain, Brain, float, 4, 4, 16, 4>,
    product<float, float, float, 4, 1, 16, 4>,
};

EXPORT void tl2hip_mfma(int kind, const void* a, const void* b, const void* c, void* d, void* site) {
    Mfma mine = {a, b, c, d};
    meet(table[kind], &mine, (u64)site);
}
