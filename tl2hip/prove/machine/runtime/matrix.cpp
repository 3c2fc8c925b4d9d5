// Matrix instructions: every v_mfma of gfx942, one template over shape, element types and lane maps.
//
// The maps are those of AMD's matrix instruction calculator (cdna3), M rows and columns, K deep, so many blocks:
// A and B: lane l, element j hold row (or column) l % M of block l / M % BLOCKS, at k = j + EACH * (l / (M * BLOCKS)),
// EACH elements a lane. C and D: runs of RUN rows (4, of f64 1) lie in registers one after the other; the 64 lanes of
// a register are M columns of TOGETHER blocks of STEPS runs; then follow the RUNS further runs, then further blocks.
//
// The order of the sum is not defined by the hardware. Here k goes up, and products and sums are rounded by themselves:
// as in ../../emulate/runtime/mfma.cpp, bit for bit. Denormals count, of factors and of sums.

#include "machine.h"

namespace matrix {

// ---- factors: how wide they are, and the numbers they are multiplied as, from their bits at the low end

struct F16 {
    static constexpr int BITS = 16;
    static f32 number(u32 bits) { return (f32)__builtin_bit_cast(f16, (u16)bits); }
};
struct BF16 {
    static constexpr int BITS = 16;
    static f32 number(u32 bits) { return __builtin_bit_cast(f32, bits << 16); }
};
struct F32 {
    static constexpr int BITS = 32;
    static f32 number(u32 bits) { return __builtin_bit_cast(f32, bits); }
};
// Ten bits of mantissa take part.
struct XF32 {
    static constexpr int BITS = 32;
    static f32 number(u32 bits) { return __builtin_bit_cast(f32, bits & 0xFFFFE000); }
};
struct F64 {
    static constexpr int BITS = 64;
    static f64 number(u64 bits) { return __builtin_bit_cast(f64, bits); }
};
// Sums of integers wrap around.
struct I8 {
    static constexpr int BITS = 8;
    static u32 number(u32 bits) { return (u32)(i8)bits; }
};
// FNUZ: no infinity, no negative zero (0x80 is NaN), bias one above the IEEE habit.
template <int MANTISSA, int BIAS>
struct Eight {
    static constexpr int BITS = 8;
    static f32 number(u32 bits) {
        constexpr u32 DENORMAL_UNIT = 127 + 1 - BIAS - MANTISSA;
        u32 size = bits & 0x7F, sign = (bits & 0x80) << 24;
        u32 normal = (size << (23 - MANTISSA)) + ((u32)(127 - BIAS) << 23);
        f32 small = (f32)(i32)size * __builtin_bit_cast(f32, DENORMAL_UNIT << 23);
        u32 value = size >> MANTISSA ? normal : __builtin_bit_cast(u32, small);
        return __builtin_bit_cast(f32, (bits & 0xFF) == 0x80 ? 0x7FC00000 : value | sign);
    }
};
typedef Eight<3, 8> FP8;
typedef Eight<2, 16> BF8;

template <class Factor>
static inline auto element(const u32 (*rows)[WAVE], int j, int lane) {
    if constexpr (Factor::BITS == 64)
        return Factor::number((u64)rows[2 * j + 1][lane] << 32 | rows[2 * j][lane]);
    else
        return Factor::number(rows[j * Factor::BITS / 32][lane] >> j * Factor::BITS % 32);
}

// An operand's numbers by k: those of all rows (or columns) of all blocks, ACROSS in all.
template <class Factor, class Sum, int K, int ACROSS>
static inline void spread(Sum (*to)[ACROSS], const u32 (*rows)[WAVE]) {
    constexpr int EACH = K * ACROSS / (int)WAVE;
    for (int k = 0; k < K; ++k)
        for (int x = 0; x < ACROSS; ++x) to[k][x] = element<Factor>(rows, k % EACH, k / EACH * ACROSS + x);
}

// ---- sums in registers: 32 bits each, or 64 in two

template <class Sum>
static inline void take(Sum (*to)[WAVE], int registers, const Wave& wave, const Source& from) {
    for (int r = 0; r < registers; ++r)
        for (u32 lane = 0; lane < WAVE; ++lane) {
            const u32* low = &wave.v[from.first + r * (int)sizeof(Sum) / 4][lane];
            if constexpr (sizeof(Sum) == 8) {
                u64 bits = from.kind == CONSTANT ? from.bits : (u64)low[WAVE] << 32 | low[0];
                to[r][lane] = __builtin_bit_cast(Sum, bits);
            } else {
                to[r][lane] = __builtin_bit_cast(Sum, from.kind == CONSTANT ? (u32)from.bits : low[0]);
            }
        }
}

template <class Sum>
static inline void put(Wave& wave, const Source& to, int registers, const Sum (*from)[WAVE]) {
    for (int r = 0; r < registers; ++r)
        for (u32 lane = 0; lane < WAVE; ++lane) {
            u32* low = &wave.v[to.first + r * (int)sizeof(Sum) / 4][lane];
            if constexpr (sizeof(Sum) == 8) {
                u64 bits = __builtin_bit_cast(u64, from[r][lane]);
                low[0] = (u32)bits, low[WAVE] = (u32)(bits >> 32);
            } else {
                low[0] = __builtin_bit_cast(u32, from[r][lane]);
            }
        }
}

// ---- the product

template <class Sum, int N>
using Vector = Sum __attribute__((ext_vector_type(N), aligned(sizeof(Sum))));

// RUN rows from a and M columns from b are multiplied, and added to the rows of a register and those behind it.
template <class Sum, int M, int K, int ACROSS, int RUN>
static inline void add_run(Sum (*d)[WAVE], int lane, const Sum* a, const Sum* b) {
    constexpr int COLUMNS = M < 64 / (int)sizeof(Sum) ? M : 64 / (int)sizeof(Sum);
    typedef Vector<Sum, COLUMNS> Some;
    for (int n = 0; n < M; n += COLUMNS) {
        Some sums[RUN];
        for (int h = 0; h < RUN; ++h) sums[h] = *(const Some*)&d[h][lane + n];
        for (int k = 0; k < K; ++k) {
            Some factors = *(const Some*)&b[k * ACROSS + n];
            for (int h = 0; h < RUN; ++h) sums[h] += a[k * ACROSS + h] * factors;
        }
        for (int h = 0; h < RUN; ++h) *(Some*)&d[h][lane + n] = sums[h];
    }
}

// Every lane takes part. A product while some are off is refused, as the emulated unit reports it.
template <class A, class B, class Sum, int M, int K, int BLOCKS>
static void multiply(Wave& wave, const Code& code) {
    constexpr int RUN = sizeof(Sum) == 8 ? 1 : 4, ACROSS = M * BLOCKS, REGISTERS = M * ACROSS / (int)WAVE;
    constexpr int TOGETHER = (int)WAVE * RUN > M * M ? (int)WAVE * RUN / (M * M) : 1;
    constexpr int STEPS = (int)WAVE / (M * TOGETHER), RUNS = M / (RUN * STEPS);
    if (wave.exec() != ~0ul) not_done(wave, code, LANES_OFF);
    alignas(64) Sum a[K][ACROSS], b[K][ACROSS], d[REGISTERS][WAVE];
    spread<A, Sum, K, ACROSS>(a, &wave.v[code.a.first]);
    spread<B, Sum, K, ACROSS>(b, &wave.v[code.b.first]);
    take(d, REGISTERS, wave, code.c);
    for (int r = 0; r < REGISTERS; r += RUN)
        for (int part = 0; part < (int)WAVE / M; ++part) {
            int block = r / (RUN * RUNS) * TOGETHER + part % TOGETHER;
            int i = RUN * (part / TOGETHER + STEPS * (r / RUN % RUNS));
            add_run<Sum, M, K, ACROSS, RUN>(&d[r], part * M, &a[0][M * block + i], &b[0][M * block]);
        }
    put(wave, code.d, REGISTERS, d);
}

}  // namespace matrix

#define MATRIX(name, ...) \
    static void v_mfma_##name(Wave& wave, const Code& code) { matrix::multiply<__VA_ARGS__>(wave, code); }
#define FACTORS(name, factor, sum, ...) MATRIX(name, matrix::factor, matrix::factor, sum, __VA_ARGS__)
#define EIGHTS(shape, ...)                                                         \
    MATRIX(f32_##shape##_fp8_fp8, matrix::FP8, matrix::FP8, f32, __VA_ARGS__)      \
    MATRIX(f32_##shape##_fp8_bf8, matrix::FP8, matrix::BF8, f32, __VA_ARGS__)      \
    MATRIX(f32_##shape##_bf8_fp8, matrix::BF8, matrix::FP8, f32, __VA_ARGS__)      \
    MATRIX(f32_##shape##_bf8_bf8, matrix::BF8, matrix::BF8, f32, __VA_ARGS__)

FACTORS(f32_32x32x8_f16, F16, f32, 32, 8, 1)
FACTORS(f32_16x16x16_f16, F16, f32, 16, 16, 1)
FACTORS(f32_32x32x4_2b_f16, F16, f32, 32, 4, 2)
FACTORS(f32_16x16x4_4b_f16, F16, f32, 16, 4, 4)
FACTORS(f32_4x4x4_16b_f16, F16, f32, 4, 4, 16)
FACTORS(f32_32x32x8_bf16, BF16, f32, 32, 8, 1)
FACTORS(f32_16x16x16_bf16, BF16, f32, 16, 16, 1)
FACTORS(f32_32x32x4_2b_bf16, BF16, f32, 32, 4, 2)
FACTORS(f32_16x16x4_4b_bf16, BF16, f32, 16, 4, 4)
FACTORS(f32_4x4x4_16b_bf16, BF16, f32, 4, 4, 16)
FACTORS(f32_32x32x2_f32, F32, f32, 32, 2, 1)
FACTORS(f32_16x16x4_f32, F32, f32, 16, 4, 1)
FACTORS(f32_32x32x1_2b_f32, F32, f32, 32, 1, 2)
FACTORS(f32_16x16x1_4b_f32, F32, f32, 16, 1, 4)
FACTORS(f32_4x4x1_16b_f32, F32, f32, 4, 1, 16)
FACTORS(f32_32x32x4_xf32, XF32, f32, 32, 4, 1)
FACTORS(f32_16x16x8_xf32, XF32, f32, 16, 8, 1)
FACTORS(i32_32x32x16_i8, I8, u32, 32, 16, 1)
FACTORS(i32_16x16x32_i8, I8, u32, 16, 32, 1)
FACTORS(i32_32x32x4_2b_i8, I8, u32, 32, 4, 2)
FACTORS(i32_16x16x4_4b_i8, I8, u32, 16, 4, 4)
FACTORS(i32_4x4x4_16b_i8, I8, u32, 4, 4, 16)
FACTORS(f64_16x16x4_f64, F64, f64, 16, 4, 1)
FACTORS(f64_4x4x4_4b_f64, F64, f64, 4, 4, 4)
EIGHTS(32x32x16, 32, 16, 1)
EIGHTS(16x16x32, 16, 32, 1)
