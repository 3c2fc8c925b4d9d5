// Written by tl2hip from kernel.py for gfx942.
//
// out = softmax(scale * Q @ K.T) @ V for each head; what is summed so far follows the largest score.
//
// Where each loop went:
//   h  grid x, one a block  attention for each
//   i  grid x, 128 a block  rows of attention
//   j  tiles of 64          keys of attention, in one pass
//   d  whole in registers   summed by mfma_f32_32x32x8f16
//   d  whole in registers   columns, summed by mfma_f32_32x32x8f16

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4_any __attribute__((ext_vector_type(4), aligned(2)));
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

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
static inline __host__ __device__ float py_min_f32(float a, float b) { return b < a ? b : a; }

// What all lanes of the wave hold, in a scalar register.
static inline __device__ float wave_uniform(float x)
{
    return __builtin_bit_cast(float, __builtin_amdgcn_readfirstlane(__builtin_bit_cast(int, x)));
}

// Memory from a place on, so many bytes; what is read behind them is 0.
static inline __device__ __amdgpu_buffer_rsrc_t window_of(const void *from, int bytes)
{
    return __builtin_amdgcn_make_buffer_rsrc((void *)from, 0, bytes, 0x27000);
}

static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

// 16 bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.
static inline __device__ f16x8 fetch_f16x8(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(f16x8, __builtin_amdgcn_raw_buffer_load_b128(from, offset, ahead, 0));
}

// All threads of the block meet, and LDS is in order. Loads from memory stay in flight.
static inline __device__ void lds_barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// One matrix instruction of a whole wave: left @ right, added to the sums.
static inline __device__ f32x16 mfma_f32_32x32x8f16(f16x4 left, f16x4 right, f32x16 sums)
{
    return __builtin_amdgcn_mfma_f32_32x32x8f16(left, right, sums, 0, 0, 0);
}

static inline __host__ __device__ float greatest_f32(float a, float b) { return __builtin_fmaxf(a, b); }

// What the lane 32 on or before holds.
static inline __device__ float other_half(float x, unsigned int thread)
{
    const int from = (int)(thread ^ 32) * 4;
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, x)));
}

// 2**x by one instruction, within one unit in the last place; 0 where that is below 2**-126.
static inline __device__ float power_of_2(float x)
{
    return __builtin_amdgcn_exp2f(x);
}

// f32 to f16, to nearest even: x * 1 + -0, which one instruction rounds into half of a register. Of two
// neighbours in a vector one is a call, so that they are not multiplied together ahead of that.
static inline __device__ _Float16 f16_of_number(float x, float one, float minus_zero, int place)
{
    #pragma clang fp contract(on)
    return (_Float16)(place % 2 == 0 ? __builtin_fmaf(x, one, minus_zero) : x * one + minus_zero);
}

// The results of matrix instructions are there, whichever way the code goes on.
static inline __device__ void settle_11()
{
    __builtin_amdgcn_sched_barrier(0);
#ifdef __AMDGCN__
    asm volatile("s_nop 10");
#endif
    __builtin_amdgcn_sched_barrier(0);
}

// f32 to f16. Without the call, clang adds +0 to a product that it rounds at once, and -0 becomes 0.
static inline __device__ _Float16 f16_from_f32(float x) { return (_Float16)__builtin_canonicalizef(x); }

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

// 128 rows a block, 64 keys at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
attention_running_kernel_aligned(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                                 const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                                 float scale, i64 T)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_K[8192];
    __shared__ __attribute__((aligned(16))) _Float16 lds_V[8192];
    int from_K[4];
    int from_V[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which of the 128 rows of its block is this lane's. The lane 32 on has the
    // same row; rows past the end repeat the last one, and nobody stores them.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const i64 h = mod_i64(block_x, H);
    const int i_tile = __builtin_amdgcn_readfirstlane(floordiv_i64(block_x, H) * 128);
    const i64 i = i_tile + wave * 32 + lane % 32;
    const i64 i_kept = min_i64(i, S - 1);
    f16x8 part_Q[8];
    #pragma unroll 8
    for (int n = 0; n < 8; ++n) {
        // kernel.py:29: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q[n] = *(const f16x8 *)&Q[(h * S + i_kept) * 128 + n * 16 + lane / 32 * 8];
    }
    // The greatest product makes the greatest score: a factor below 0 changes its sign here.
    #pragma unroll 8
    for (int n = 0; n < 8; ++n) {
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            part_Q[n][e] = scale < 0.0f ? -part_Q[n][e] : part_Q[n][e];
        }
    }
    const int whole = T / 64 * 64;
    f16x8 next_K[4];
    // K: of each tile of 64 rows a thread moves 4 pieces of 16 bytes. from_K is where they are in memory,
    // to_K where they go in LDS, start_K where this lane's fragments begin there. Pieces of a row change
    // places by its number (^): the lanes of an access meet in no bank.
    const int row_K = thread / 16;
    const int k_K = thread % 16 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_K[n] = (int)(((row_K + n * 16) * 128 + k_K) * 2);
    }
    const int to_K = row_K * 128 + (k_K ^ (row_K % 8 * 8));
    const int start_K = lane % 32 * 128 + ((lane / 32 * 8) ^ (lane % 32 % 8 * 8));
    f16x8 next_V[4];
    // V: of each tile of 64 rows a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time,
    // in the order of the weights in registers. from_V is where they are in memory, to_V where they go in
    // LDS, start_V where this lane's fragments begin there. Pieces of a row change places by its number (^):
    // the lanes of an access meet in no bank.
    const int row_V = (thread % 8 + thread / 16 % 2 * 8) * 8;
    const int k_V = (thread / 8 % 2 + thread / 32 * 2) * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_V[n] = (int)((((k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8 % 2 * 4 + (k_V + n)
                            % 4) * 128 + row_V) * 2);
    }
    const int to_V = row_V * 64 + (k_V ^ (((row_V % 8) ^ (row_V / 8 % 8)) * 8));
    const int start_V = lane % 32 * 64 + ((lane / 32 * 8) ^ (((lane % 32 % 8) ^ (lane % 32 / 8 % 8)) * 8));
    f32x16 sums[4] = {};
    // Of this lane's row: the greatest product so far, the one that weights are powers over, and its part of
    // total.
    float greatest = -__builtin_inff();
    float base = -3.4028235e38f;
    f32x2 total_parts = {};
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    const float room = py_min_f32(8.0f / scale_2, 1.2676506e30f);
    const float one = __builtin_amdgcn_sqrtf(1.0f);
    const float minus_zero = wave_uniform(__builtin_amdgcn_sqrtf(-0.0f));
    const __amdgpu_buffer_rsrc_t window_K =
            window_of(&K[h * T * 128], max_i64((min_i64(T, 64) - 1) * 128 + 128, 0) * 2);
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
    }
    const __amdgpu_buffer_rsrc_t window_V =
            window_of(&V[h * T * 128], max_i64((min_i64(T, 64) - 1) * 128 + 128, 0) * 2);
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_V[n] = fetch_f16x8(window_V, from_V[n], 0);
    }
    // kernel.py:36: m = new
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first_2 = 0; first_2 < whole; first_2 += 64) {  // whole tiles of keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_K[to_K + n * 16 * 128] = next_K[n];
        }
        f16x4 turned_V[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_V[e][q] = next_V[q][e];
            }
            *(f16x4 *)&lds_V[(to_V ^ (e * 8)) + e * 64] = turned_V[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K[0][n] = *(const f16x8 *)&lds_K[start_K + n * 32 * 128];
        }
        const i64 next = first_2 + 64;
        const __amdgpu_buffer_rsrc_t window_K =
                window_of(&K[(h * T + next) * 128], max_i64((min_i64(T - next, 64) - 1) * 128 + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V =
                window_of(&V[(h * T + next) * 128], max_i64((min_i64(T - next, 64) - 1) * 128 + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = fetch_f16x8(window_V, from_V[n], 0);
        }
        f32x16 scores[2] = {};
        #pragma unroll 7
        for (int slice = 0; slice < 7; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K[(start_K ^ ((slice + 1) * 16)) + n * 32 * 128];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].lo, part_Q[slice].lo, scores[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].hi, part_Q[slice].hi, scores[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].lo, part_Q[7].lo, scores[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].hi, part_Q[7].hi, scores[n]);
        }
        f16x8 part_V[2][4];
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_V[0][n] = *(const f16x8 *)&lds_V[(start_V ^ (n * 4 % 8 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        if (greatest > base + room) {  // which is seldom
            const float old = base;
            base = greatest;
            float rescale;
            rescale = power_of_2((old - base) * scale_2);
            total_parts *= rescale;
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] *= rescale;
            }
        }
        f16x8 weights[4];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            // kernel.py:33: total = total * before + p
            scores[0][e] = power_of_2((scores[0][e] - base) * scale_2);
            total_parts[e % 2] = total_parts[e % 2] + scores[0][e];
            weights[0][e] = f16_of_number(scores[0][e], one, minus_zero, e);
        }
        __builtin_amdgcn_s_setprio(1);
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                part_V[(slice + 1)
                       % 2][n] = *(const f16x8 *)&lds_V[(start_V ^ (((slice + 1) * 16) ^ (n * 4 % 8 * 8))) + n
                                                        * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] =
                        power_of_2((scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] - base) * scale_2);
                total_parts[e % 2] = total_parts[e % 2] + scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e];
                weights[slice + 1][e] =
                        f16_of_number(scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e], one, minus_zero, e);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:35: acc[d] = acc[d] * before + f32(f16(p)) * f32(V[h, j, d])
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].lo, weights[slice].lo, sums[c]);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].hi, weights[slice].hi, sums[c]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].lo, weights[3].lo, sums[c]);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].hi, weights[3].hi, sums[c]);
        }
    }
    if (whole < T) {  // the rest of the keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_K[to_K + n * 16 * 128] = next_K[n];
        }
        f16x4 turned_V[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_V[e][q] = next_V[q][e];
            }
            *(f16x4 *)&lds_V[(to_V ^ (e * 8)) + e * 64] = turned_V[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K[0][n] = *(const f16x8 *)&lds_K[start_K + n * 32 * 128];
        }
        const i64 next = whole + 64;
        const __amdgpu_buffer_rsrc_t window_K =
                window_of(&K[(h * T + next) * 128], max_i64((min_i64(T - next, 64) - 1) * 128 + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V =
                window_of(&V[(h * T + next) * 128], max_i64((min_i64(T - next, 64) - 1) * 128 + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = fetch_f16x8(window_V, from_V[n], 0);
        }
        f32x16 scores[2] = {};
        #pragma unroll 7
        for (int slice = 0; slice < 7; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K[(start_K ^ ((slice + 1) * 16)) + n * 32 * 128];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].lo, part_Q[slice].lo, scores[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].hi, part_Q[slice].hi, scores[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].lo, part_Q[7].lo, scores[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].hi, part_Q[7].hi, scores[n]);
        }
        f16x8 part_V[2][4];
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_V[0][n] = *(const f16x8 *)&lds_V[(start_V ^ (n * 4 % 8 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const int left = T - (whole + lane / 32 * 4);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores[n][e] : -__builtin_inff();
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        if (greatest > base + room) {  // which is seldom
            const float old = base;
            base = greatest;
            float rescale;
            rescale = power_of_2((old - base) * scale_2);
            total_parts *= rescale;
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] *= rescale;
            }
        }
        f16x8 weights[4];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            scores[0][e] = power_of_2(e / 4 * 8 + e % 4 < left ? (scores[0][e] - base) * scale_2
                                      : -__builtin_inff());
            total_parts[e % 2] = total_parts[e % 2] + scores[0][e];
            weights[0][e] = f16_of_number(scores[0][e], one, minus_zero, e);
        }
        __builtin_amdgcn_s_setprio(1);
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                part_V[(slice + 1)
                       % 2][n] = *(const f16x8 *)&lds_V[(start_V ^ (((slice + 1) * 16) ^ (n * 4 % 8 * 8))) + n
                                                        * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] = power_of_2((slice + 1) / 2 * 32
                        + ((slice + 1) % 2 * 8 + e) / 4 * 8 + ((slice + 1) % 2 * 8 + e) % 4 < left
                        ? (scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] - base) * scale_2
                        : -__builtin_inff());
                total_parts[e % 2] = total_parts[e % 2] + scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e];
                weights[slice + 1][e] =
                        f16_of_number(scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e], one, minus_zero, e);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].lo, weights[slice].lo, sums[c]);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].hi, weights[slice].hi, sums[c]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].lo, weights[3].lo, sums[c]);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].hi, weights[3].hi, sums[c]);
        }
    }
    settle_11();
    // What is summed, over the greatest of all.
    const float top = greatest == -__builtin_inff() ? base : greatest;
    float rescale;
    rescale = power_of_2((base - top) * scale_2);
    total_parts *= rescale;
    #pragma unroll 4
    for (int c = 0; c < 4; ++c) {
        sums[c] *= rescale;
    }
    float total = total_parts[0] + total_parts[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        float first = -__builtin_inff();
        for (i64 j = 0; j < min_i64(1, T); ++j) {
            if (first == -__builtin_inff()) {
                float s = 0.0f;
                for (i64 d = 0; d < 128; ++d) {
                    s = __builtin_fmaf((float)Q[(h * S + i) * 128 + d], (float)K[(h * T + j) * 128 + d], s);
                }
                first = s * scale;
            }
        }
        // kernel.py:38: out[h, i, d] = f16(acc[d] / total)
        float total_2 = 0 < T && first == -__builtin_inff() ? __builtin_nanf("") : total;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    out_vector[e] = f16_from_f32(sums[c][r * 4 + e] / total_2);
                }
                *(f16x4_any *)&out[(h * S + i) * 128 + d_first] = out_vector;
            }
        }
    }
}

// 128 rows a block, 64 keys at a time, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 1))) void
attention_running_kernel(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                         const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                         float scale, i64 T)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_K[8192];
    __shared__ __attribute__((aligned(16))) _Float16 lds_V[8192];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which of the 128 rows of its block is this lane's. The lane 32 on has the
    // same row; rows past the end repeat the last one, and nobody stores them.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const i64 h = mod_i64(block_x, H);
    const int i_tile = __builtin_amdgcn_readfirstlane(floordiv_i64(block_x, H) * 128);
    const i64 i = i_tile + wave * 32 + lane % 32;
    const i64 i_kept = min_i64(i, S - 1);
    f16x8 part_Q[8];
    #pragma unroll 8
    for (int n = 0; n < 8; ++n) {
        // kernel.py:29: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q[n] = *(const f16x8_any *)&Q[(h * S + i_kept) * 128 + n * 16 + lane / 32 * 8];
    }
    // The greatest product makes the greatest score: a factor below 0 changes its sign here.
    #pragma unroll 8
    for (int n = 0; n < 8; ++n) {
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            part_Q[n][e] = scale < 0.0f ? -part_Q[n][e] : part_Q[n][e];
        }
    }
    const int whole = T / 64 * 64;
    f16x8 next_K[4];
    // K: of each tile of 64 rows a thread moves 4 pieces of 16 bytes. to_K where they go in LDS, start_K
    // where this lane's fragments begin there. Pieces of a row change places by its number (^): the lanes of
    // an access meet in no bank.
    const int row_K = thread / 16;
    const int k_K = thread % 16 * 8;
    const int to_K = row_K * 128 + (k_K ^ (row_K % 8 * 8));
    const int start_K = lane % 32 * 128 + ((lane / 32 * 8) ^ (lane % 32 % 8 * 8));
    f16x8 next_V[4];
    // V: of each tile of 64 rows a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time,
    // in the order of the weights in registers. to_V where they go in LDS, start_V where this lane's
    // fragments begin there. Pieces of a row change places by its number (^): the lanes of an access meet in
    // no bank.
    const int row_V = (thread % 8 + thread / 16 % 2 * 8) * 8;
    const int k_V = (thread / 8 % 2 + thread / 32 * 2) * 4;
    const int to_V = row_V * 64 + (k_V ^ (((row_V % 8) ^ (row_V / 8 % 8)) * 8));
    const int start_V = lane % 32 * 64 + ((lane / 32 * 8) ^ (((lane % 32 % 8) ^ (lane % 32 / 8 % 8)) * 8));
    f32x16 sums[4] = {};
    // Of this lane's row: the greatest product so far, the one that weights are powers over, and its part of
    // total.
    float greatest = -__builtin_inff();
    float base = -3.4028235e38f;
    f32x2 total_parts = {};
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    const float room = py_min_f32(8.0f / scale_2, 1.2676506e30f);
    const float one = __builtin_amdgcn_sqrtf(1.0f);
    const float minus_zero = wave_uniform(__builtin_amdgcn_sqrtf(-0.0f));
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_K[n] = first_f16x8_any(&K[(h * T + row_K + n * 16) * 128 + k_K], row_K + n * 16 < T ? 8 : 0);
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_V[n] = first_f16x8_any(&V[(h * T + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8
                                        % 2 * 4 + (k_V + n) % 4) * 128 + row_V],
                                    (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8 % 2 * 4
                                    + (k_V + n) % 4 < T ? 8 : 0);
    }
    // kernel.py:36: m = new
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first_2 = 0; first_2 < whole; first_2 += 64) {  // whole tiles of keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_K[to_K + n * 16 * 128] = next_K[n];
        }
        f16x4 turned_V[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_V[e][q] = next_V[q][e];
            }
            *(f16x4 *)&lds_V[(to_V ^ (e * 8)) + e * 64] = turned_V[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K[0][n] = *(const f16x8 *)&lds_K[start_K + n * 32 * 128];
        }
        const i64 next = first_2 + 64;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = first_f16x8_any(&K[(h * T + next + row_K + n * 16) * 128 + k_K],
                                        next + row_K + n * 16 < T ? 8 : 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = first_f16x8_any(&V[(h * T + next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8
                                            + (k_V + n) / 8 % 2 * 4 + (k_V + n) % 4) * 128 + row_V],
                                        next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8 % 2
                                        * 4 + (k_V + n) % 4 < T ? 8 : 0);
        }
        f32x16 scores[2] = {};
        #pragma unroll 7
        for (int slice = 0; slice < 7; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K[(start_K ^ ((slice + 1) * 16)) + n * 32 * 128];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].lo, part_Q[slice].lo, scores[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].hi, part_Q[slice].hi, scores[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].lo, part_Q[7].lo, scores[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].hi, part_Q[7].hi, scores[n]);
        }
        f16x8 part_V[2][4];
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_V[0][n] = *(const f16x8 *)&lds_V[(start_V ^ (n * 4 % 8 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        if (greatest > base + room) {  // which is seldom
            const float old = base;
            base = greatest;
            float rescale;
            rescale = power_of_2((old - base) * scale_2);
            total_parts *= rescale;
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] *= rescale;
            }
        }
        f16x8 weights[4];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            // kernel.py:33: total = total * before + p
            scores[0][e] = power_of_2((scores[0][e] - base) * scale_2);
            total_parts[e % 2] = total_parts[e % 2] + scores[0][e];
            weights[0][e] = f16_of_number(scores[0][e], one, minus_zero, e);
        }
        __builtin_amdgcn_s_setprio(1);
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                part_V[(slice + 1)
                       % 2][n] = *(const f16x8 *)&lds_V[(start_V ^ (((slice + 1) * 16) ^ (n * 4 % 8 * 8))) + n
                                                        * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] =
                        power_of_2((scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] - base) * scale_2);
                total_parts[e % 2] = total_parts[e % 2] + scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e];
                weights[slice + 1][e] =
                        f16_of_number(scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e], one, minus_zero, e);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:35: acc[d] = acc[d] * before + f32(f16(p)) * f32(V[h, j, d])
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].lo, weights[slice].lo, sums[c]);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].hi, weights[slice].hi, sums[c]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].lo, weights[3].lo, sums[c]);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].hi, weights[3].hi, sums[c]);
        }
    }
    if (whole < T) {  // the rest of the keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_K[to_K + n * 16 * 128] = next_K[n];
        }
        f16x4 turned_V[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_V[e][q] = next_V[q][e];
            }
            *(f16x4 *)&lds_V[(to_V ^ (e * 8)) + e * 64] = turned_V[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K[0][n] = *(const f16x8 *)&lds_K[start_K + n * 32 * 128];
        }
        const i64 next = whole + 64;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = first_f16x8_any(&K[(h * T + next + row_K + n * 16) * 128 + k_K],
                                        next + row_K + n * 16 < T ? 8 : 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = first_f16x8_any(&V[(h * T + next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8
                                            + (k_V + n) / 8 % 2 * 4 + (k_V + n) % 4) * 128 + row_V],
                                        next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8 % 2
                                        * 4 + (k_V + n) % 4 < T ? 8 : 0);
        }
        f32x16 scores[2] = {};
        #pragma unroll 7
        for (int slice = 0; slice < 7; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K[(start_K ^ ((slice + 1) * 16)) + n * 32 * 128];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].lo, part_Q[slice].lo, scores[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores[n] = mfma_f32_32x32x8f16(part_K[slice % 2][n].hi, part_Q[slice].hi, scores[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].lo, part_Q[7].lo, scores[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = mfma_f32_32x32x8f16(part_K[1][n].hi, part_Q[7].hi, scores[n]);
        }
        f16x8 part_V[2][4];
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_V[0][n] = *(const f16x8 *)&lds_V[(start_V ^ (n * 4 % 8 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const int left = T - (whole + lane / 32 * 4);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores[n][e] : -__builtin_inff();
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        if (greatest > base + room) {  // which is seldom
            const float old = base;
            base = greatest;
            float rescale;
            rescale = power_of_2((old - base) * scale_2);
            total_parts *= rescale;
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] *= rescale;
            }
        }
        f16x8 weights[4];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            scores[0][e] = power_of_2(e / 4 * 8 + e % 4 < left ? (scores[0][e] - base) * scale_2
                                      : -__builtin_inff());
            total_parts[e % 2] = total_parts[e % 2] + scores[0][e];
            weights[0][e] = f16_of_number(scores[0][e], one, minus_zero, e);
        }
        __builtin_amdgcn_s_setprio(1);
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                part_V[(slice + 1)
                       % 2][n] = *(const f16x8 *)&lds_V[(start_V ^ (((slice + 1) * 16) ^ (n * 4 % 8 * 8))) + n
                                                        * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] = power_of_2((slice + 1) / 2 * 32
                        + ((slice + 1) % 2 * 8 + e) / 4 * 8 + ((slice + 1) % 2 * 8 + e) % 4 < left
                        ? (scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e] - base) * scale_2
                        : -__builtin_inff());
                total_parts[e % 2] = total_parts[e % 2] + scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e];
                weights[slice + 1][e] =
                        f16_of_number(scores[(slice + 1) / 2][(slice + 1) % 2 * 8 + e], one, minus_zero, e);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].lo, weights[slice].lo, sums[c]);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x8f16(part_V[slice % 2][c].hi, weights[slice].hi, sums[c]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].lo, weights[3].lo, sums[c]);
        }
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] = mfma_f32_32x32x8f16(part_V[1][c].hi, weights[3].hi, sums[c]);
        }
    }
    settle_11();
    // What is summed, over the greatest of all.
    const float top = greatest == -__builtin_inff() ? base : greatest;
    float rescale;
    rescale = power_of_2((base - top) * scale_2);
    total_parts *= rescale;
    #pragma unroll 4
    for (int c = 0; c < 4; ++c) {
        sums[c] *= rescale;
    }
    float total = total_parts[0] + total_parts[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        float first = -__builtin_inff();
        for (i64 j = 0; j < min_i64(1, T); ++j) {
            if (first == -__builtin_inff()) {
                float s = 0.0f;
                for (i64 d = 0; d < 128; ++d) {
                    s = __builtin_fmaf((float)Q[(h * S + i) * 128 + d], (float)K[(h * T + j) * 128 + d], s);
                }
                first = s * scale;
            }
        }
        // kernel.py:38: out[h, i, d] = f16(acc[d] / total)
        float total_2 = 0 < T && first == -__builtin_inff() ? __builtin_nanf("") : total;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    out_vector[e] = f16_from_f32(sums[c][r * 4 + e] / total_2);
                }
                *(f16x4_any *)&out[(h * S + i) * 128 + d_first] = out_vector;
            }
        }
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches attention_running on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t attention_running(const _Float16 *Q, const _Float16 *K, const _Float16 *V,
                                        _Float16 *out, float scale, i64 H, i64 S, i64 T, hipStream_t stream)
{
    if (H < 0 || S < 0 || T < 0)
        return hipErrorInvalidValue;
    const i64 Q_bytes = H * S * 128 * 2;
    const i64 out_bytes = H * S * 128 * 2;
    const i64 K_bytes = H * T * 128 * 2;
    const i64 V_bytes = H * T * 128 * 2;
    if (overlap(Q, Q_bytes, out, out_bytes) ||
        overlap(K, K_bytes, out, out_bytes) ||
        overlap(V, V_bytes, out, out_bytes))
        return hipErrorInvalidValue;
    if ((size_t)Q % 16 == 0 && (size_t)K % 16 == 0 && (size_t)V % 16 == 0) {
        if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
            hipLaunchKernelGGL(attention_running_kernel_aligned, dim3((unsigned int)grid_x), dim3(256), 0,
                               stream, Q, K, V, out, H, S, scale, T);
    } else {
        if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
            hipLaunchKernelGGL(attention_running_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, Q,
                               K, V, out, H, S, scale, T);
    }
    return hipGetLastError();
}
#endif
