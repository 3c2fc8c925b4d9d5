// Written by tl2hip from kernel.py for gfx942.
//
// C = A @ ((B - 8) * scale).
//
// Where each loop went:
//   i  grid x, tiles of 256, 4 waves  rows of a matrix product
//   j  grid x, tiles of 128, 2 waves  columns of a matrix product
//   k  tiles of 64, 2 stages          summed by mfma_f32_16x16x16f16

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef unsigned char u8x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x8_any __attribute__((ext_vector_type(8), aligned(2)));

// x // y rounded down; 0 for y = 0, and the least value // -1 wraps to itself.
static __device__ inline long long floordiv_i64(long long x, long long y) {
    if (y == 0) return 0;
    if (y == -1) return (long long)(0u - (unsigned long long)x);
    const long long quotient = (long long)(x / y), rest = (long long)(x - quotient * y);
    return (long long)(quotient - (rest != 0 && (rest < 0) != (y < 0)));
}

// x % y with the sign of y; 0 for y = 0.
static __device__ inline long long mod_i64(long long x, long long y) {
    if (y == 0 || y == -1) return 0;
    const long long rest = (long long)(x % y);
    return rest != 0 && (rest < 0) != (y < 0) ? (long long)(rest + y) : rest;
}

// x >> count, the sign kept; for a count outside 0..32-1 -1 or 0 by the sign of x, as NumPy.
static __device__ inline int shr_i32(int x, int count) {
    return (int)(x >> ((unsigned int)count < 32u ? count : (int)(32 - 1)));
}

// Which tile of a grid of rows by columns a block takes. Neighbouring blocks run on different XCDs, eight in turn:
// each XCD gets group * group tiles that stand together, taken in groups of rows, and finds them in its L2.
static inline __device__ void tile_of(int block, int rows, int columns, int group, int &row, int &column)
{
    const int share = group * group;
    if (block < rows * columns / (8 * share) * (8 * share))
        block = block / (8 * share) * (8 * share) + block % 8 * share + block / 8 % share;
    const int first = block / (group * columns) * group;
    const int inside = block % (group * columns);
    const int high = rows - first < group ? rows - first : group;
    row = first + inside % high;
    column = inside / high;
}

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// Memory from a place on, behind a descriptor in scalar registers.
static inline __device__ __amdgpu_buffer_rsrc_t window(const void *from)
{
    return __builtin_amdgcn_make_buffer_rsrc((void *)from, 0, -1, 0x27000);
}

// 4 bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.
static inline __device__ u8x4 fetch_u8x4(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(u8x4, __builtin_amdgcn_raw_buffer_load_b32(from, offset, ahead, 0));
}

// 8 bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.
static inline __device__ f16x4 fetch_f16x4(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(f16x4, __builtin_amdgcn_raw_buffer_load_b64(from, offset, ahead, 0));
}

// 16 bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.
static inline __device__ f16x8 fetch_f16x8(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(f16x8, __builtin_amdgcn_raw_buffer_load_b128(from, offset, ahead, 0));
}

// Up to `count` elements from a place on, and zeros behind them.
static inline __device__ f16x8 first_f16x8(const _Float16 *from, i64 count)
{
    if (count >= 8)
        return *(const f16x8 *)from;
    f16x8 some = {};
    for (int e = 0; e < 8; ++e)
        if (e < count)
            some[e] = from[e];
    return some;
}

// Two small integers as f16: bits of bytes `low` and `high` of a word, in halves that begin as 1024 does.
// What their shift makes them more is divided by, 1024 is subtracted again: all of it is exact.
static inline __device__ f16x2 small_f16x2(unsigned int word, int low, int high, unsigned int mask,
                                           unsigned int flip, f16x2 unit, f16x2 left)
{
    const unsigned int bytes = __builtin_amdgcn_perm(0x64646464, word, 0x04000400 | high << 16 | low);
    return __builtin_elementwise_fma(__builtin_bit_cast(f16x2, (bytes & mask) ^ flip), unit, left);
}

// All threads of the block meet, and LDS is in order. Loads from memory stay in flight.
static inline __device__ void lds_barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// One matrix instruction of a whole wave: left @ right, added to the sums.
static inline __device__ f32x4 mfma_f32_16x16x16f16(f16x4 left, f16x4 right, f32x4 sums)
{
    return __builtin_amdgcn_mfma_f32_16x16x16f16(left, right, sums, 0, 0, 0);
}

// The results of matrix instructions are there, whichever way the code goes on.
static inline __device__ void settle_7()
{
    __builtin_amdgcn_sched_barrier(0);
#ifdef __AMDGCN__
    asm volatile("s_nop 6");
#endif
    __builtin_amdgcn_sched_barrier(0);
}

// Which lane of its wave this is, found anew: no register keeps it.
static inline __device__ int lane_now()
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) % 64;
}

// f32 to f16. Without the call, clang adds +0 to a product that it rounds at once, and -0 becomes 0.
static inline __device__ _Float16 f16_from_f32(float x) { return (_Float16)__builtin_canonicalizef(x); }

// The same at any address. The empty asm keeps the widening of `offset` beside the load: moved out of a loop,
// it costs each load a 64-bit addition.
static inline __device__ f16x8 fetch_f16x8_any(const char *from, int &offset, i64 ahead)
{
    asm("" : "+v"(offset));
    return *(const f16x8_any *)(from + ahead + (unsigned int)offset);
}

// Up to `count` elements from a place on, and zeros behind them.
static inline __device__ f16x8 first_f16x8_any(const _Float16 *from, i64 count)
{
    if (count >= 8)
        return *(const f16x8_any *)from;
    f16x8 some = {};
    for (int e = 0; e < 8; ++e)
        if (e < count)
            some[e] = from[e];
    return some;
}

// a tile of 256 x 128 a block, 4 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(512, 512), amdgpu_waves_per_eu(2, 2))) void
int4_gemm_kernel_aligned(const _Float16 *__restrict__ A, const unsigned char *__restrict__ B,
                         const _Float16 *__restrict__ scale, _Float16 *__restrict__ C, i64 M, i64 N, i64 K)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_A[16384];
    __shared__ __attribute__((aligned(16))) _Float16 lds_B[8192];
    int from_A[4];
    int from_B[1];
    int from_scale[1];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 256 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)((M + 255) / 256), (int)((N + 127) / 128), 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 256);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 128);
    f32x4 sums[4][4] = {};
    f16x8 next_A[4];
    f16x8 part_A[2][4];
    // A: of each tile a thread moves 4 pieces of 16 bytes. from_A is where they are in memory, to_A where
    // they go in LDS, start_A where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_A = thread / 8;
    const int k_A = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_A[n] = (int)(((min_i64(i_tile + row_A + n * 64, M - 1) - i_tile) * K + k_A) * 2);
    }
    const int to_A = row_A * 64 + (k_A ^ (row_A % 8 * 8));
    const int start_A = wave / 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    f16x8 part_B[2][4];
    f16x4 computed_B[4];
    u8x4 next_B[1][2];
    f16x4 next_scale[1][1];
    f16x2 pairs_B[2];
    // A factor is computed from B and scale on its way to LDS: of each tile a thread computes 1 blocks of 4 x
    // 4 elements. What they need waits in registers. to_B is where they go in LDS, start_B where this lane's
    // fragments begin there. Pieces of a row change places by its number (^), so that the lanes of an access
    // meet in no bank.
    const int row_B = (thread % 4 + thread / 8 % 8 * 4) * 4;
    const int there_B = row_B / 32 * 32 + row_B / 4 % 2 * 16 + row_B / 8 % 4 * 4 + row_B % 4;
    const int k_B = (thread / 4 % 2 + thread / 64 * 2) * 4;
    const int pitch_B = N;
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        from_B[n] = (int)((k_B + n * 4) / 2 * pitch_B + min_i64(j_tile + row_B, N - 4));
    }
    const int pitch_scale = N * 2;
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        from_scale[n] = (int)(min_i64(j_tile + row_B, N - 4) * 2);
    }
    const int to_B = there_B * 64 + (k_B ^ (((there_B % 8) ^ (there_B / 8 % 8)) * 8));
    const int start_B = wave % 2 * 4096 + lane % 16 * 64
            + ((lane / 16 * 8) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (K + 63) / 64;
    const i64 k_last = (steps - 1) * 64;
    const __amdgpu_buffer_rsrc_t window_A = window(&A[i_tile * K]);
    const __amdgpu_buffer_rsrc_t window_B = window(&B[0]);
    const __amdgpu_buffer_rsrc_t window_scale = window(&scale[0]);
    if (k_last + 64 <= K) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            next_B[n][0] = fetch_u8x4(window_B, from_B[n], (steps - 1) * 32 * pitch_B);
            next_B[n][1] = fetch_u8x4(window_B, from_B[n], (steps - 1) * 32 * pitch_B + pitch_B);
            next_scale[n][0] =
                    fetch_f16x4(window_scale, from_scale[n], (((steps - 1) * 64) >> 7) * pitch_scale);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8(window_A, from_A[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = first_f16x8(&A[min_i64(i_tile + row_A + n * 64, M - 1) * K + k_last + k_A],
                                    K - (k_last + k_A));
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            next_B[n][0] = *(const u8x4 *)&B[floordiv_i64(min_i64(k_last + k_B + n * 4, K - 4), 2) * N
                                             + min_i64(j_tile + row_B, N - 4)];
            next_B[n][1] = *(const u8x4 *)&B[(floordiv_i64(min_i64(k_last + k_B + n * 4, K - 4), 2) + 1) * N
                                             + min_i64(j_tile + row_B, N - 4)];
            next_scale[n][0] = *(const f16x4 *)&scale[floordiv_i64(min_i64(k_last + k_B + n * 4, K - 4), 128)
                                                      * N + min_i64(j_tile + row_B, N - 4)];
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_A[to_A + n * 64 * 64] = next_A[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        pairs_B[0] = small_f16x2(__builtin_bit_cast(unsigned int, next_B[0][0]), e, e, 0xfff0ff0f, 0x0,
                                 f16x2{1.0f, 0.0625f}, f16x2{-1032.0f, -72.0f});
        pairs_B[1] = small_f16x2(__builtin_bit_cast(unsigned int, next_B[0][1]), e, e, 0xfff0ff0f, 0x0,
                                 f16x2{1.0f, 0.0625f}, f16x2{-1032.0f, -72.0f});
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            computed_B[e][q] = k_last + k_B + q < K ? pairs_B[q / 2][q % 2] * next_scale[0][0][e]
                    : (_Float16)0.0f;
        }
        *(f16x4 *)&lds_B[(to_B ^ (((e % 8) ^ (e / 8)) * 8)) + e * 64] = computed_B[e];
    }
    if (1 < steps) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            next_B[n][0] = fetch_u8x4(window_B, from_B[n], 0);
            next_B[n][1] = fetch_u8x4(window_B, from_B[n], pitch_B);
            next_scale[n][0] = fetch_f16x4(window_scale, from_scale[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8(window_A, from_A[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[0][n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[0][n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 2 * 8)) + n * 16 * 64];
    }
    // kernel.py:20: for k in range(K):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[1][n] = *(const f16x8 *)&lds_A[(start_A ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[1][n] = *(const f16x8 *)&lds_B[(start_B ^ (32 ^ (n * 2 * 8))) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:22: s += f32(A[i, k]) * f32(f16(weight) * scale[k // 128, j])
                sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].lo, part_A[0][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            pairs_B[0] = small_f16x2(__builtin_bit_cast(unsigned int, next_B[0][0]), e, e, 0xfff0ff0f, 0x0,
                                     f16x2{1.0f, 0.0625f}, f16x2{-1032.0f, -72.0f});
            pairs_B[1] = small_f16x2(__builtin_bit_cast(unsigned int, next_B[0][1]), e, e, 0xfff0ff0f, 0x0,
                                     f16x2{1.0f, 0.0625f}, f16x2{-1032.0f, -72.0f});
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                computed_B[e][q] = pairs_B[q / 2][q % 2] * next_scale[0][0][e];
            }
            *(f16x4 *)&lds_B[(to_B ^ (((e % 8) ^ (e / 8)) * 8)) + e * 64] = computed_B[e];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_A[to_A + n * 64 * 64] = next_A[n];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            next_B[n][0] = fetch_u8x4(window_B, from_B[n], next * 32 * pitch_B);
            next_B[n][1] = fetch_u8x4(window_B, from_B[n], next * 32 * pitch_B + pitch_B);
            next_scale[n][0] = fetch_f16x4(window_scale, from_scale[n], ((next * 64) >> 7) * pitch_scale);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8(window_A, from_A[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].hi, part_A[0][r].hi, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].lo, part_A[1][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[0][n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[0][n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 2 * 8)) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].hi, part_A[1][r].hi, sums[r][c]);
            }
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].lo, part_A[0][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].hi, part_A[0][r].hi, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[1][n] = *(const f16x8 *)&lds_A[(start_A ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[1][n] = *(const f16x8 *)&lds_B[(start_B ^ (32 ^ (n * 2 * 8))) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].lo, part_A[1][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].hi, part_A[1][r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 8 neighbouring j of one i in 2 fragments, whose columns take
    // turns.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 j_first = j_tile + wave % 2 * 64 + lane_again / 16 * 8 + c * 32;
            if (i < M) {
                if (j_first + 8 <= N) {
                    f16x8 C_vector;
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        float s = sums[r][c * 2 + e / 4][e % 4];
                        // kernel.py:23: C[i, j] = f16(s)
                        C_vector[e] = f16_from_f32(s);
                    }
                    *(f16x8_any *)&C[i * N + j_first] = C_vector;
                } else {
                    #pragma unroll 8
                    for (int e = 0; e < 8; ++e) {
                        const i64 j = j_first + e;
                        if (j < N) {
                            float s = sums[r][c * 2 + e / 4][e % 4];
                            C[i * N + j] = f16_from_f32(s);
                        }
                    }
                }
            }
        }
    }
}

// a tile of 256 x 128 a block, 4 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(512, 512), amdgpu_waves_per_eu(2, 2))) void
int4_gemm_kernel(const _Float16 *__restrict__ A, const unsigned char *__restrict__ B,
                 const _Float16 *__restrict__ scale, _Float16 *__restrict__ C, i64 M, i64 N, i64 K)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_A[16384];
    __shared__ __attribute__((aligned(16))) _Float16 lds_B[8192];
    int from_A[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 256 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)((M + 255) / 256), (int)((N + 127) / 128), 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 256);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 128);
    f32x4 sums[4][4] = {};
    f16x8 next_A[4];
    f16x8 part_A[2][4];
    // A: of each tile a thread moves 4 pieces of 16 bytes. from_A is where they are in memory, to_A where
    // they go in LDS, start_A where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_A = thread / 8;
    const int k_A = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_A[n] = (int)(((min_i64(i_tile + row_A + n * 64, M - 1) - i_tile) * K + k_A) * 2);
    }
    const int to_A = row_A * 64 + (k_A ^ (row_A % 8 * 8));
    const int start_A = wave / 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    f16x8 part_B[2][4];
    f16x4 computed_B[4];
    // A factor is computed from B and scale on its way to LDS: of each tile a thread computes 1 blocks of 4 x
    // 4 elements. to_B is where they go in LDS, start_B where this lane's fragments begin there. Pieces of a
    // row change places by its number (^), so that the lanes of an access meet in no bank.
    const int row_B = (thread % 4 + thread / 8 % 8 * 4) * 4;
    const int there_B = row_B / 32 * 32 + row_B / 4 % 2 * 16 + row_B / 8 % 4 * 4 + row_B % 4;
    const int k_B = (thread / 4 % 2 + thread / 64 * 2) * 4;
    const int to_B = there_B * 64 + (k_B ^ (((there_B % 8) ^ (there_B / 8 % 8)) * 8));
    const int start_B = wave % 2 * 4096 + lane % 16 * 64
            + ((lane / 16 * 8) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (K + 63) / 64;
    const i64 k_last = (steps - 1) * 64;
    const char *const window_A = (const char *)&A[i_tile * K];
    if (k_last + 64 <= K) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8_any(window_A, from_A[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = first_f16x8_any(&A[min_i64(i_tile + row_A + n * 64, M - 1) * K + k_last + k_A],
                                        K - (k_last + k_A));
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_A[to_A + n * 64 * 64] = next_A[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            computed_B[e][q] = k_last + k_B + q < K
                    ? (_Float16)(float)((shr_i32((int)B[floordiv_i64(min_i64(k_last + k_B + q, K - 1), 2) * N
                                                        + min_i64(j_tile + row_B + e, N - 1)],
                                                 (int)(mod_i64(min_i64(k_last + k_B + q, K - 1), 2) * 4))
                                         & 15) - 8)
                    * scale[floordiv_i64(min_i64(k_last + k_B + q, K - 1), 128) * N
                            + min_i64(j_tile + row_B + e, N - 1)] : (_Float16)0.0f;
        }
        *(f16x4 *)&lds_B[(to_B ^ (((e % 8) ^ (e / 8)) * 8)) + e * 64] = computed_B[e];
        __builtin_amdgcn_sched_barrier(0);
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8_any(window_A, from_A[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[0][n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[0][n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 2 * 8)) + n * 16 * 64];
    }
    // kernel.py:20: for k in range(K):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[1][n] = *(const f16x8 *)&lds_A[(start_A ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[1][n] = *(const f16x8 *)&lds_B[(start_B ^ (32 ^ (n * 2 * 8))) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:22: s += f32(A[i, k]) * f32(f16(weight) * scale[k // 128, j])
                sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].lo, part_A[0][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                computed_B[e][q] = (_Float16)(float)((shr_i32((int)B[floordiv_i64((step - 1) * 64 + k_B + q,
                        2) * N + min_i64(j_tile + row_B + e, N - 1)],
                                                              (int)(mod_i64((step - 1) * 64 + k_B + q, 2)
                                                                    * 4)) & 15) - 8)
                        * scale[floordiv_i64((step - 1) * 64 + k_B + q, 128) * N
                                + min_i64(j_tile + row_B + e, N - 1)];
            }
            *(f16x4 *)&lds_B[(to_B ^ (((e % 8) ^ (e / 8)) * 8)) + e * 64] = computed_B[e];
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_A[to_A + n * 64 * 64] = next_A[n];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n] = fetch_f16x8_any(window_A, from_A[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].hi, part_A[0][r].hi, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].lo, part_A[1][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[0][n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[0][n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 2 * 8)) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].hi, part_A[1][r].hi, sums[r][c]);
            }
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].lo, part_A[0][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[0][c].hi, part_A[0][r].hi, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[1][n] = *(const f16x8 *)&lds_A[(start_A ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[1][n] = *(const f16x8 *)&lds_B[(start_B ^ (32 ^ (n * 2 * 8))) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].lo, part_A[1][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[1][c].hi, part_A[1][r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 8 neighbouring j of one i in 2 fragments, whose columns take
    // turns.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 j_first = j_tile + wave % 2 * 64 + lane_again / 16 * 8 + c * 32;
            if (i < M) {
                if (j_first + 8 <= N) {
                    f16x8 C_vector;
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        float s = sums[r][c * 2 + e / 4][e % 4];
                        // kernel.py:23: C[i, j] = f16(s)
                        C_vector[e] = f16_from_f32(s);
                    }
                    *(f16x8_any *)&C[i * N + j_first] = C_vector;
                } else {
                    #pragma unroll 8
                    for (int e = 0; e < 8; ++e) {
                        const i64 j = j_first + e;
                        if (j < N) {
                            float s = sums[r][c * 2 + e / 4][e % 4];
                            C[i * N + j] = f16_from_f32(s);
                        }
                    }
                }
            }
        }
    }
}

// a thread for each element, of any size
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
int4_gemm_kernel_any_size(const _Float16 *__restrict__ A, const unsigned char *__restrict__ B,
                          const _Float16 *__restrict__ scale, _Float16 *__restrict__ C, i64 M, i64 N, i64 K)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:17: for i in range(M):
    for (i64 i = block_y * 4 + thread_y; i < M; i += blocks_y * 4) {  // 4 i a block
        // kernel.py:18: for j in range(N):
        for (i64 j = block_x * 64 + thread_x; j < N; j += blocks_x * 64) {  // 64 j a block
            // kernel.py:19: s = f32(0)
            float s = 0.0f;
            // kernel.py:20: for k in range(K):
            for (i64 k = 0; k < K; ++k) {
                // kernel.py:21: weight = ((i32(B[k // 2, j]) >> (k % 2 * 4)) & 15) - 8
                int weight = (shr_i32((int)B[k / 2 * N + j], (int)(k % 2 * 4)) & 15) - 8;
                // kernel.py:22: s += f32(A[i, k]) * f32(f16(weight) * scale[k // 128, j])
                s = __builtin_fmaf((float)A[i * K + k],
                                   (float)((_Float16)(float)weight * scale[k / 128 * N + j]), s);
            }
            // kernel.py:23: C[i, j] = f16(s)
            C[i * N + j] = f16_from_f32(s);
        }
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches int4_gemm on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t int4_gemm(const _Float16 *A, const unsigned char *B, const _Float16 *scale, _Float16 *C,
                                i64 M, i64 K, i64 N, hipStream_t stream)
{
    if (M < 0 || K < 0 || N < 0)
        return hipErrorInvalidValue;
    // kernel.py:16: assert K % 128 == 0
    if (!(K % 128 == 0))
        return hipErrorInvalidValue;
    const i64 A_bytes = M * K * 2;
    const i64 C_bytes = M * N * 2;
    const i64 B_bytes = K / 2 * N;
    const i64 scale_bytes = K / 128 * N * 2;
    if (overlap(A, A_bytes, C, C_bytes) ||
        overlap(B, B_bytes, C, C_bytes) ||
        overlap(scale, scale_bytes, C, C_bytes))
        return hipErrorInvalidValue;
    if (0 < K && K < 2097152 && (M + 255) / 256 * ((N + 127) / 128) <= 4194304) {
        if ((size_t)A % 16 == 0 && (size_t)B % 16 == 0 && (size_t)scale % 16 == 0 && K % 8 == 0 && N % 8 == 0
            && K / 2 * N < 2147483648 && K / 128 * N * 2 < 2147483648) {
            if (const i64 grid_x = (M + 255) / 256 * ((N + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(int4_gemm_kernel_aligned, dim3((unsigned int)grid_x), dim3(512), 0, stream,
                                   A, B, scale, C, M, N, K);
        } else {
            if (const i64 grid_x = (M + 255) / 256 * ((N + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(int4_gemm_kernel, dim3((unsigned int)grid_x), dim3(512), 0, stream, A, B,
                                   scale, C, M, N, K);
        }
    } else {
        {
            const i64 grid_x = min_i64((N + 63) / 64, 1048576);
            const i64 grid_y = min_i64((M + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(int4_gemm_kernel_any_size,
                                   dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(64, 4), 0, stream,
                                   A, B, scale, C, M, N, K);
        }
    }
    return hipGetLastError();
}
#endif
