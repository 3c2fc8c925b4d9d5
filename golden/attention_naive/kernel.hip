// Written by tl2hip from kernel.py for gfx942.
//
// out = softmax(scale * Q @ K.T) @ V for each head.
//
// Where each loop went:
//   h  grid x, one a block  attention for each
//   i  grid x, 128 a block  rows of attention
//   j  tiles of 64          keys of attention, in one pass
//   d  whole in registers   summed by mfma_f32_32x32x8f16
//   d  whole in registers   columns, summed by mfma_f32_32x32x2f32

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4_any __attribute__((ext_vector_type(4), aligned(2)));
typedef _Float16 f16x8_any __attribute__((ext_vector_type(8), aligned(2)));
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));

// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
}

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

// One matrix instruction of a whole wave: left @ right, added to the sums.
static inline __device__ f32x16 mfma_f32_32x32x2f32(float left, float right, f32x16 sums)
{
    return __builtin_amdgcn_mfma_f32_32x32x2f32(left, right, sums, 0, 0, 0);
}

// The results of matrix instructions are there, whichever way the code goes on.
static inline __device__ void settle_19()
{
    __builtin_amdgcn_sched_barrier(0);
#ifdef __AMDGCN__
    asm volatile("s_nop 15");
    asm volatile("s_nop 2");
#endif
    __builtin_amdgcn_sched_barrier(0);
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

// The float another lane holds, by a DPP pattern; 0 where the pattern names no lane.
template <int pattern>
static inline __device__ float from_lane(float x)
{
    const int bits = __builtin_bit_cast(int, x);
    return __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, bits, pattern, 0xf, 0xf, true));
}

// The float that lane 63 holds.
static inline __device__ float last_lane(float x)
{
    return __builtin_bit_cast(float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, x), 63));
}

// The sum over the 64 lanes of a wave; every lane gets it. All lanes must be here.
static inline __device__ float wave_sum_f32(float x)
{
    float y;
    y = from_lane<0xb1>(x);   // quad_perm: the neighbour
    x = x + y;
    y = from_lane<0x4e>(x);   // quad_perm: two lanes on
    x = x + y;
    y = from_lane<0x141>(x);  // row_half_mirror: the other four of eight
    x = x + y;
    y = from_lane<0x140>(x);  // row_mirror: the other eight of sixteen
    x = x + y;
    y = from_lane<0x142>(x);  // row_bcast15: the row before
    x = x + y;
    y = from_lane<0x143>(x);  // row_bcast31: the first half of the wave
    x = x + y;
    return last_lane(x);
}

// The sum over all threads of a block; every thread gets it. All threads must be here.
template <int threads>
static inline __device__ float block_sum_f32(float x, float *parts, unsigned int thread)
{
    x = wave_sum_f32(x);
    if (thread % 64 == 0)
        parts[thread / 64] = x;
    __syncthreads();
    x = parts[0];
    for (int wave = 1; wave < threads / 64; ++wave) {
        const float y = parts[wave];
        x = x + y;
    }
    __syncthreads();
    return x;
}

static inline __host__ __device__ float py_max_f32(float a, float b) { return b > a ? b : a; }

// The greatest value over the 64 lanes of a wave; every lane gets it. All lanes must be here.
static inline __device__ float wave_py_max_f32(float x)
{
    float y;
    y = from_lane<0xb1>(x);   // quad_perm: the neighbour
    x = py_max_f32(x, y);
    y = from_lane<0x4e>(x);   // quad_perm: two lanes on
    x = py_max_f32(x, y);
    y = from_lane<0x141>(x);  // row_half_mirror: the other four of eight
    x = py_max_f32(x, y);
    y = from_lane<0x140>(x);  // row_mirror: the other eight of sixteen
    x = py_max_f32(x, y);
    y = from_lane<0x142>(x);  // row_bcast15: the row before
    x = py_max_f32(x, y);
    y = from_lane<0x143>(x);  // row_bcast31: the first half of the wave
    x = py_max_f32(x, y);
    return last_lane(x);
}

// The greatest value over all threads of a block; every thread gets it. All threads must be here.
template <int threads>
static inline __device__ float block_py_max_f32(float x, float *parts, unsigned int thread)
{
    x = wave_py_max_f32(x);
    if (thread % 64 == 0)
        parts[thread / 64] = x;
    __syncthreads();
    x = parts[0];
    for (int wave = 1; wave < threads / 64; ++wave) {
        const float y = parts[wave];
        x = py_max_f32(x, y);
    }
    __syncthreads();
    return x;
}

// 128 rows a block, 64 keys at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
attention_naive_kernel_128_aligned(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                                   const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                                   float scale, i64 T, i64 D)
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
        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q[n] = *(const f16x8 *)&Q[(h * S + i_kept) * D + n * 16 + lane / 32 * 8];
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
        from_K[n] = (int)(((row_K + n * 16) * D + k_K) * 2);
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
                            % 4) * D + row_V) * 2);
    }
    const int to_V = row_V * 64 + (k_V ^ (((row_V % 8) ^ (row_V / 8 % 8)) * 8));
    const int start_V = lane % 32 * 64 + ((lane / 32 * 8) ^ (((lane % 32 % 8) ^ (lane % 32 / 8 % 8)) * 8));
    f32x16 sums[4] = {};
    // Of this lane's row: the greatest product so far, and its part of total over that.
    float greatest = -__builtin_inff();
    f32x2 total_parts = {};
    float rescale;
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    const __amdgpu_buffer_rsrc_t window_K =
            window_of(&K[h * T * D], max_i64((min_i64(T, 64) - 1) * D + 128, 0) * 2);
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
    }
    const __amdgpu_buffer_rsrc_t window_V =
            window_of(&V[h * T * D], max_i64((min_i64(T, 64) - 1) * D + 128, 0) * 2);
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_V[n] = fetch_f16x8(window_V, from_V[n], 0);
    }
    // kernel.py:24: for j in range(T):
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first = 0; first < whole; first += 64) {  // whole tiles of keys
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
        const i64 next = first + 64;
        const __amdgpu_buffer_rsrc_t window_K =
                window_of(&K[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V =
                window_of(&V[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 128, 0) * 2);
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
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:31: if P[h, i, j] > m:
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts *= rescale;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = (scores[n] - base) * scale_2;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                scores[n][e] = power_of_2(scores[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts[e % 2] = total_parts[e % 2] + scores[n][e];
            }
        }
        f32x8 weights[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights[n * 2 + e / 8][e % 8] = scores[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x4 wide_V;
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
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    wide_V[c] = (float)part_V[slice % 2][c][e];
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[slice][e], sums[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                wide_V[c] = (float)part_V[1][c][e];
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[3][e], sums[c]);
            }
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
                window_of(&K[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 128, 0) * 2);
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = fetch_f16x8(window_K, from_K[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V =
                window_of(&V[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 128, 0) * 2);
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
                // kernel.py:28: P[h, i, j] = s * scale
                scores[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores[n][e] : -__builtin_inff();
            }
        }
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts *= rescale;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = (scores[n] - base) * scale_2;
        }
        // The factor may be 0, and 0 * -inf is not a number.
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
                scores[n][e] = power_of_2(scores[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts[e % 2] = total_parts[e % 2] + scores[n][e];
            }
        }
        f32x8 weights[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights[n * 2 + e / 8][e % 8] = scores[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x4 wide_V;
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
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    wide_V[c] = (float)part_V[slice % 2][c][e];
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[slice][e], sums[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                wide_V[c] = (float)part_V[1][c][e];
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[3][e], sums[c]);
            }
        }
    }
    settle_19();
    float total = total_parts[0] + total_parts[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:40: out[h, i, d] = f16(o / total)
                    out_vector[e] = (_Float16)(sums[c][r * 4 + e] / total);
                }
                *(f16x4_any *)&out[(h * S + i) * D + d_first] = out_vector;
            }
        }
    }
}

// 128 rows a block, 64 keys at a time, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 1))) void
attention_naive_kernel_128(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                           const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                           float scale, i64 T, i64 D)
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
        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q[n] = *(const f16x8_any *)&Q[(h * S + i_kept) * D + n * 16 + lane / 32 * 8];
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
    // Of this lane's row: the greatest product so far, and its part of total over that.
    float greatest = -__builtin_inff();
    f32x2 total_parts = {};
    float rescale;
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_K[n] = first_f16x8_any(&K[(h * T + row_K + n * 16) * D + k_K], row_K + n * 16 < T ? 8 : 0);
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        next_V[n] = first_f16x8_any(&V[(h * T + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8
                                        % 2 * 4 + (k_V + n) % 4) * D + row_V],
                                    (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8 + (k_V + n) / 8 % 2 * 4
                                    + (k_V + n) % 4 < T ? 8 : 0);
    }
    // kernel.py:24: for j in range(T):
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first = 0; first < whole; first += 64) {  // whole tiles of keys
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
        const i64 next = first + 64;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_K[n] = first_f16x8_any(&K[(h * T + next + row_K + n * 16) * D + k_K],
                                        next + row_K + n * 16 < T ? 8 : 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = first_f16x8_any(&V[(h * T + next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8
                                            + (k_V + n) / 8 % 2 * 4 + (k_V + n) % 4) * D + row_V],
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
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:31: if P[h, i, j] > m:
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts *= rescale;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = (scores[n] - base) * scale_2;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                scores[n][e] = power_of_2(scores[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts[e % 2] = total_parts[e % 2] + scores[n][e];
            }
        }
        f32x8 weights[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights[n * 2 + e / 8][e % 8] = scores[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x4 wide_V;
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
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    wide_V[c] = (float)part_V[slice % 2][c][e];
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[slice][e], sums[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                wide_V[c] = (float)part_V[1][c][e];
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[3][e], sums[c]);
            }
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
            next_K[n] = first_f16x8_any(&K[(h * T + next + row_K + n * 16) * D + k_K],
                                        next + row_K + n * 16 < T ? 8 : 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_V[n] = first_f16x8_any(&V[(h * T + next + (k_V + n) / 16 * 16 + (k_V + n) / 4 % 2 * 8
                                            + (k_V + n) / 8 % 2 * 4 + (k_V + n) % 4) * D + row_V],
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
                // kernel.py:28: P[h, i, j] = s * scale
                scores[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores[n][e] : -__builtin_inff();
            }
        }
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts *= rescale;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores[n] = (scores[n] - base) * scale_2;
        }
        // The factor may be 0, and 0 * -inf is not a number.
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
                scores[n][e] = power_of_2(scores[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts[e % 2] = total_parts[e % 2] + scores[n][e];
            }
        }
        f32x8 weights[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights[n * 2 + e / 8][e % 8] = scores[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x4 wide_V;
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
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    wide_V[c] = (float)part_V[slice % 2][c][e];
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[slice][e], sums[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                wide_V[c] = (float)part_V[1][c][e];
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[c] = mfma_f32_32x32x2f32(wide_V[c], weights[3][e], sums[c]);
            }
        }
    }
    settle_19();
    float total = total_parts[0] + total_parts[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:40: out[h, i, d] = f16(o / total)
                    out_vector[e] = (_Float16)(sums[c][r * 4 + e] / total);
                }
                *(f16x4_any *)&out[(h * S + i) * D + d_first] = out_vector;
            }
        }
    }
}

// 128 rows a block, 64 keys at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
attention_naive_kernel_64_aligned(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                                  const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                                  float scale, i64 T, i64 D)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_K_2[4096];
    __shared__ __attribute__((aligned(16))) _Float16 lds_V_2[4096];
    int from_K_2[2];
    int from_V_2[2];
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
    f16x8 part_Q_2[4];
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q_2[n] = *(const f16x8 *)&Q[(h * S + i_kept) * D + n * 16 + lane / 32 * 8];
    }
    // The greatest product makes the greatest score: a factor below 0 changes its sign here.
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            part_Q_2[n][e] = scale < 0.0f ? -part_Q_2[n][e] : part_Q_2[n][e];
        }
    }
    const int whole = T / 64 * 64;
    f16x8 next_K_2[2];
    // K: of each tile of 64 rows a thread moves 2 pieces of 16 bytes. from_K_2 is where they are in memory,
    // to_K_2 where they go in LDS, start_K_2 where this lane's fragments begin there. Pieces of a row change
    // places by its number (^): the lanes of an access meet in no bank.
    const int row_K_2 = thread / 8;
    const int k_K_2 = thread % 8 * 8;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_K_2[n] = (int)(((row_K_2 + n * 32) * D + k_K_2) * 2);
    }
    const int to_K_2 = row_K_2 * 64 + (k_K_2 ^ (row_K_2 % 8 * 8));
    const int start_K_2 = lane % 32 * 64 + ((lane / 32 * 8) ^ (lane % 32 % 8 * 8));
    f16x8 next_V_2[2];
    // V: of each tile of 64 rows a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time,
    // in the order of the weights in registers. from_V_2 is where they are in memory, to_V_2 where they go in
    // LDS, start_V_2 where this lane's fragments begin there. Pieces of a row change places by its number
    // (^): the lanes of an access meet in no bank.
    const int row_V_2 = thread % 8 * 8;
    const int k_V_2 = thread / 8 * 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_V_2[n] = (int)((((k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8 + (k_V_2 + n) / 8 % 2 * 4
                              + (k_V_2 + n) % 4) * D + row_V_2) * 2);
    }
    const int to_V_2 = row_V_2 * 64 + (k_V_2 ^ (((row_V_2 % 8) ^ (row_V_2 / 8 % 8)) * 8));
    const int start_V_2 = lane % 32 * 64 + ((lane / 32 * 8) ^ (((lane % 32 % 8) ^ (lane % 32 / 8 % 8)) * 8));
    f32x16 sums_2[2] = {};
    // Of this lane's row: the greatest product so far, and its part of total over that.
    float greatest = -__builtin_inff();
    f32x2 total_parts_2 = {};
    float rescale;
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    const __amdgpu_buffer_rsrc_t window_K_2 =
            window_of(&K[h * T * D], max_i64((min_i64(T, 64) - 1) * D + 64, 0) * 2);
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_K_2[n] = fetch_f16x8(window_K_2, from_K_2[n], 0);
    }
    const __amdgpu_buffer_rsrc_t window_V_2 =
            window_of(&V[h * T * D], max_i64((min_i64(T, 64) - 1) * D + 64, 0) * 2);
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_V_2[n] = fetch_f16x8(window_V_2, from_V_2[n], 0);
    }
    // kernel.py:24: for j in range(T):
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first = 0; first < whole; first += 64) {  // whole tiles of keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_K_2[to_K_2 + n * 32 * 64] = next_K_2[n];
        }
        f16x2 turned_V_2[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_V_2[e][q] = next_V_2[q][e];
            }
            *(f16x2 *)&lds_V_2[(to_V_2 ^ (e * 8)) + e * 64] = turned_V_2[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K_2[0][n] = *(const f16x8 *)&lds_K_2[start_K_2 + n * 32 * 64];
        }
        const i64 next = first + 64;
        const __amdgpu_buffer_rsrc_t window_K_2 =
                window_of(&K[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 64, 0) * 2);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_K_2[n] = fetch_f16x8(window_K_2, from_K_2[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V_2 =
                window_of(&V[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 64, 0) * 2);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_V_2[n] = fetch_f16x8(window_V_2, from_V_2[n], 0);
        }
        f32x16 scores_2[2] = {};
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K_2[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K_2[(start_K_2 ^ ((slice + 1) * 16)) + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].lo, part_Q_2[slice].lo, scores_2[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].hi, part_Q_2[slice].hi, scores_2[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].lo, part_Q_2[3].lo, scores_2[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].hi, part_Q_2[3].hi, scores_2[n]);
        }
        f16x8 part_V_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_V_2[0][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (n * 4 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:31: if P[h, i, j] > m:
                greatest = greatest_f32(greatest, scores_2[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts_2 *= rescale;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums_2[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = (scores_2[n] - base) * scale_2;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                scores_2[n][e] = power_of_2(scores_2[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts_2[e % 2] = total_parts_2[e % 2] + scores_2[n][e];
            }
        }
        f32x8 weights_2[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights_2[n * 2 + e / 8][e % 8] = scores_2[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x2 wide_V_2;
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_V_2[(slice + 1)
                         % 2][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (((slice + 1) * 16) ^ (n * 4 * 8)))
                                                            + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    wide_V_2[c] = (float)part_V_2[slice % 2][c][e];
                }
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[slice][e], sums_2[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                wide_V_2[c] = (float)part_V_2[1][c][e];
            }
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[3][e], sums_2[c]);
            }
        }
    }
    if (whole < T) {  // the rest of the keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_K_2[to_K_2 + n * 32 * 64] = next_K_2[n];
        }
        f16x2 turned_V_2[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_V_2[e][q] = next_V_2[q][e];
            }
            *(f16x2 *)&lds_V_2[(to_V_2 ^ (e * 8)) + e * 64] = turned_V_2[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K_2[0][n] = *(const f16x8 *)&lds_K_2[start_K_2 + n * 32 * 64];
        }
        const i64 next = whole + 64;
        const __amdgpu_buffer_rsrc_t window_K_2 =
                window_of(&K[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 64, 0) * 2);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_K_2[n] = fetch_f16x8(window_K_2, from_K_2[n], 0);
        }
        const __amdgpu_buffer_rsrc_t window_V_2 =
                window_of(&V[(h * T + next) * D], max_i64((min_i64(T - next, 64) - 1) * D + 64, 0) * 2);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_V_2[n] = fetch_f16x8(window_V_2, from_V_2[n], 0);
        }
        f32x16 scores_2[2] = {};
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K_2[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K_2[(start_K_2 ^ ((slice + 1) * 16)) + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].lo, part_Q_2[slice].lo, scores_2[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].hi, part_Q_2[slice].hi, scores_2[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].lo, part_Q_2[3].lo, scores_2[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].hi, part_Q_2[3].hi, scores_2[n]);
        }
        f16x8 part_V_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_V_2[0][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (n * 4 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const int left = T - (whole + lane / 32 * 4);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:28: P[h, i, j] = s * scale
                scores_2[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores_2[n][e] : -__builtin_inff();
            }
        }
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores_2[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts_2 *= rescale;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums_2[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = (scores_2[n] - base) * scale_2;
        }
        // The factor may be 0, and 0 * -inf is not a number.
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores_2[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores_2[n][e] : -__builtin_inff();
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores_2[n][e] = power_of_2(scores_2[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts_2[e % 2] = total_parts_2[e % 2] + scores_2[n][e];
            }
        }
        f32x8 weights_2[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights_2[n * 2 + e / 8][e % 8] = scores_2[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x2 wide_V_2;
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_V_2[(slice + 1)
                         % 2][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (((slice + 1) * 16) ^ (n * 4 * 8)))
                                                            + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    wide_V_2[c] = (float)part_V_2[slice % 2][c][e];
                }
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[slice][e], sums_2[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                wide_V_2[c] = (float)part_V_2[1][c][e];
            }
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[3][e], sums_2[c]);
            }
        }
    }
    settle_19();
    float total = total_parts_2[0] + total_parts_2[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:40: out[h, i, d] = f16(o / total)
                    out_vector[e] = (_Float16)(sums_2[c][r * 4 + e] / total);
                }
                *(f16x4_any *)&out[(h * S + i) * D + d_first] = out_vector;
            }
        }
    }
}

// 128 rows a block, 64 keys at a time, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 1))) void
attention_naive_kernel_64(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                          const _Float16 *__restrict__ V, _Float16 *__restrict__ out, i64 H, i64 S,
                          float scale, i64 T, i64 D)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_K_2[4096];
    __shared__ __attribute__((aligned(16))) _Float16 lds_V_2[4096];
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
    f16x8 part_Q_2[4];
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
        part_Q_2[n] = *(const f16x8_any *)&Q[(h * S + i_kept) * D + n * 16 + lane / 32 * 8];
    }
    // The greatest product makes the greatest score: a factor below 0 changes its sign here.
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            part_Q_2[n][e] = scale < 0.0f ? -part_Q_2[n][e] : part_Q_2[n][e];
        }
    }
    const int whole = T / 64 * 64;
    f16x8 next_K_2[2];
    // K: of each tile of 64 rows a thread moves 2 pieces of 16 bytes. to_K_2 where they go in LDS, start_K_2
    // where this lane's fragments begin there. Pieces of a row change places by its number (^): the lanes of
    // an access meet in no bank.
    const int row_K_2 = thread / 8;
    const int k_K_2 = thread % 8 * 8;
    const int to_K_2 = row_K_2 * 64 + (k_K_2 ^ (row_K_2 % 8 * 8));
    const int start_K_2 = lane % 32 * 64 + ((lane / 32 * 8) ^ (lane % 32 % 8 * 8));
    f16x8 next_V_2[2];
    // V: of each tile of 64 rows a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time,
    // in the order of the weights in registers. to_V_2 where they go in LDS, start_V_2 where this lane's
    // fragments begin there. Pieces of a row change places by its number (^): the lanes of an access meet in
    // no bank.
    const int row_V_2 = thread % 8 * 8;
    const int k_V_2 = thread / 8 * 2;
    const int to_V_2 = row_V_2 * 64 + (k_V_2 ^ (((row_V_2 % 8) ^ (row_V_2 / 8 % 8)) * 8));
    const int start_V_2 = lane % 32 * 64 + ((lane / 32 * 8) ^ (((lane % 32 % 8) ^ (lane % 32 / 8 % 8)) * 8));
    f32x16 sums_2[2] = {};
    // Of this lane's row: the greatest product so far, and its part of total over that.
    float greatest = -__builtin_inff();
    f32x2 total_parts_2 = {};
    float rescale;
    const float scale_2 = __builtin_fabsf(scale) * 1.442695f;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_K_2[n] =
                first_f16x8_any(&K[(h * T + row_K_2 + n * 32) * D + k_K_2], row_K_2 + n * 32 < T ? 8 : 0);
    }
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_V_2[n] = first_f16x8_any(&V[(h * T + (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8
                                          + (k_V_2 + n) / 8 % 2 * 4 + (k_V_2 + n) % 4) * D + row_V_2],
                                      (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8 + (k_V_2 + n) / 8 % 2
                                      * 4 + (k_V_2 + n) % 4 < T ? 8 : 0);
    }
    // kernel.py:24: for j in range(T):
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int first = 0; first < whole; first += 64) {  // whole tiles of keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_K_2[to_K_2 + n * 32 * 64] = next_K_2[n];
        }
        f16x2 turned_V_2[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_V_2[e][q] = next_V_2[q][e];
            }
            *(f16x2 *)&lds_V_2[(to_V_2 ^ (e * 8)) + e * 64] = turned_V_2[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K_2[0][n] = *(const f16x8 *)&lds_K_2[start_K_2 + n * 32 * 64];
        }
        const i64 next = first + 64;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_K_2[n] = first_f16x8_any(&K[(h * T + next + row_K_2 + n * 32) * D + k_K_2],
                                          next + row_K_2 + n * 32 < T ? 8 : 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_V_2[n] = first_f16x8_any(&V[(h * T + next + (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8
                                              + (k_V_2 + n) / 8 % 2 * 4 + (k_V_2 + n) % 4) * D + row_V_2],
                                          next + (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8 + (k_V_2 + n)
                                          / 8 % 2 * 4 + (k_V_2 + n) % 4 < T ? 8 : 0);
        }
        f32x16 scores_2[2] = {};
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K_2[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K_2[(start_K_2 ^ ((slice + 1) * 16)) + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].lo, part_Q_2[slice].lo, scores_2[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].hi, part_Q_2[slice].hi, scores_2[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].lo, part_Q_2[3].lo, scores_2[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].hi, part_Q_2[3].hi, scores_2[n]);
        }
        f16x8 part_V_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_V_2[0][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (n * 4 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:31: if P[h, i, j] > m:
                greatest = greatest_f32(greatest, scores_2[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts_2 *= rescale;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums_2[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = (scores_2[n] - base) * scale_2;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                scores_2[n][e] = power_of_2(scores_2[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts_2[e % 2] = total_parts_2[e % 2] + scores_2[n][e];
            }
        }
        f32x8 weights_2[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights_2[n * 2 + e / 8][e % 8] = scores_2[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x2 wide_V_2;
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_V_2[(slice + 1)
                         % 2][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (((slice + 1) * 16) ^ (n * 4 * 8)))
                                                            + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    wide_V_2[c] = (float)part_V_2[slice % 2][c][e];
                }
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[slice][e], sums_2[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                wide_V_2[c] = (float)part_V_2[1][c][e];
            }
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[3][e], sums_2[c]);
            }
        }
    }
    if (whole < T) {  // the rest of the keys
        lds_barrier();  // every wave is done with the tile before
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_K_2[to_K_2 + n * 32 * 64] = next_K_2[n];
        }
        f16x2 turned_V_2[8];
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_V_2[e][q] = next_V_2[q][e];
            }
            *(f16x2 *)&lds_V_2[(to_V_2 ^ (e * 8)) + e * 64] = turned_V_2[e];
        }
        lds_barrier();  // the tile is in LDS
        f16x8 part_K_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_K_2[0][n] = *(const f16x8 *)&lds_K_2[start_K_2 + n * 32 * 64];
        }
        const i64 next = whole + 64;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_K_2[n] = first_f16x8_any(&K[(h * T + next + row_K_2 + n * 32) * D + k_K_2],
                                          next + row_K_2 + n * 32 < T ? 8 : 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_V_2[n] = first_f16x8_any(&V[(h * T + next + (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8
                                              + (k_V_2 + n) / 8 % 2 * 4 + (k_V_2 + n) % 4) * D + row_V_2],
                                          next + (k_V_2 + n) / 16 * 16 + (k_V_2 + n) / 4 % 2 * 8 + (k_V_2 + n)
                                          / 8 % 2 * 4 + (k_V_2 + n) % 4 < T ? 8 : 0);
        }
        f32x16 scores_2[2] = {};
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_K_2[(slice + 1) % 2][n] =
                        *(const f16x8 *)&lds_K_2[(start_K_2 ^ ((slice + 1) * 16)) + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].lo, part_Q_2[slice].lo, scores_2[n]);
            }
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                scores_2[n] = mfma_f32_32x32x8f16(part_K_2[slice % 2][n].hi, part_Q_2[slice].hi, scores_2[n]);
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].lo, part_Q_2[3].lo, scores_2[n]);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = mfma_f32_32x32x8f16(part_K_2[1][n].hi, part_Q_2[3].hi, scores_2[n]);
        }
        f16x8 part_V_2[2][2];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_V_2[0][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (n * 4 * 8)) + n * 32 * 64];
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_s_setprio(0);
        const int left = T - (whole + lane / 32 * 4);
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                // kernel.py:28: P[h, i, j] = s * scale
                scores_2[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores_2[n][e] : -__builtin_inff();
            }
        }
        const float before = greatest;
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                greatest = greatest_f32(greatest, scores_2[n][e]);
            }
        }
        greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
        const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
        rescale = power_of_2(before == -__builtin_inff() ? -__builtin_inff() : (before - base) * scale_2);
        total_parts_2 *= rescale;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums_2[c] *= rescale;
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            scores_2[n] = (scores_2[n] - base) * scale_2;
        }
        // The factor may be 0, and 0 * -inf is not a number.
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores_2[n][e] = n * 32 + e / 4 * 8 + e % 4 < left ? scores_2[n][e] : -__builtin_inff();
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                scores_2[n][e] = power_of_2(scores_2[n][e]);
            }
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                total_parts_2[e % 2] = total_parts_2[e % 2] + scores_2[n][e];
            }
        }
        f32x8 weights_2[4];
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            #pragma unroll 16
            for (int e = 0; e < 16; ++e) {
                weights_2[n * 2 + e / 8][e % 8] = scores_2[n][e];
            }
        }
        __builtin_amdgcn_s_setprio(1);
        // Weights are f32, and so are the values that they are multiplied with.
        f32x2 wide_V_2;
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 3
        for (int slice = 0; slice < 3; ++slice) {
            #pragma unroll 2
            for (int n = 0; n < 2; ++n) {
                part_V_2[(slice + 1)
                         % 2][n] = *(const f16x8 *)&lds_V_2[(start_V_2 ^ (((slice + 1) * 16) ^ (n * 4 * 8)))
                                                            + n * 32 * 64];
            }
            __builtin_amdgcn_sched_barrier(0);
            #pragma unroll 8
            for (int e = 0; e < 8; ++e) {
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    wide_V_2[c] = (float)part_V_2[slice % 2][c][e];
                }
                #pragma unroll 2
                for (int c = 0; c < 2; ++c) {
                    sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[slice][e], sums_2[c]);
                }
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                wide_V_2[c] = (float)part_V_2[1][c][e];
            }
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums_2[c] = mfma_f32_32x32x2f32(wide_V_2[c], weights_2[3][e], sums_2[c]);
            }
        }
    }
    settle_19();
    float total = total_parts_2[0] + total_parts_2[1];
    total += other_half(total, threadIdx.x);
    total = greatest == -__builtin_inff() && 0 < T ? __builtin_nanf("") : total;
    // What is done with the sums: a lane has runs of 4 neighbouring d.
    if (i < S) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {
                const int d_first = lane / 32 * 4 + c * 32 + r * 8;
                f16x4 out_vector;
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:40: out[h, i, d] = f16(o / total)
                    out_vector[e] = (_Float16)(sums_2[c][r * 4 + e] / total);
                }
                *(f16x4_any *)&out[(h * S + i) * D + d_first] = out_vector;
            }
        }
    }
}

// a block for each h, i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
attention_naive_kernel(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                       const _Float16 *__restrict__ V, _Float16 *__restrict__ out, float *__restrict__ P,
                       i64 H, i64 S, i64 T, i64 D, float scale)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:22: for h in range(H):
    for (i64 h = block_y; h < H; h += blocks_y) {  // one h a block
        // kernel.py:23: for i in range(S):
        for (i64 i = block_x; i < S; i += blocks_x) {  // one i a block
            // kernel.py:24: for j in range(T):
            for (i64 j = 0; j < T; ++j) {
                // kernel.py:25: s = f32(0)
                float s = 0.0f;
                float s_part = -0.0f;
                // kernel.py:26: for d in range(D):
                for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                    // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
                    s_part = __builtin_fmaf((float)Q[(h * S + i) * D + d], (float)K[(h * T + j) * D + d],
                                            s_part);
                }
                s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
                s += s_part;
                // kernel.py:28: P[h, i, j] = s * scale
                if (thread_x == 0) {  // one lane stores
                    P[(h * S + i) * T + j] = s * scale;
                }
                __syncthreads();
            }
            // kernel.py:29: m = f32(-math.inf)
            float m = -__builtin_inff();
            __syncthreads();
            float m_part = -__builtin_inff();
            // kernel.py:30: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:31: if P[h, i, j] > m:
                m_part = py_max_f32(m_part, P[(h * S + i) * T + j]);
            }
            m_part = block_py_max_f32<256>(m_part, lds_values_f32, threadIdx.x);
            m = py_max_f32(m, m_part);
            // kernel.py:33: total = f32(0)
            float total = 0.0f;
            float total_part = -0.0f;
            // kernel.py:34: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                total_part += exp_f32(P[(h * S + i) * T + j] - m);
            }
            total_part = block_sum_f32<256>(total_part, lds_values_f32, threadIdx.x);
            total += total_part;
            // kernel.py:36: for d in range(D):
            for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                // kernel.py:37: o = f32(0)
                float o = 0.0f;
                // kernel.py:38: for j in range(T):
                for (i64 j = 0; j < T; ++j) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    o = __builtin_fmaf(exp_f32(P[(h * S + i) * T + j] - m), (float)V[(h * T + j) * D + d], o);
                }
                // kernel.py:40: out[h, i, d] = f16(o / total)
                out[(h * S + i) * D + d] = (_Float16)(o / total);
            }
        }
    }
}

// the same by vectors
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
attention_naive_kernel_aligned(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                               const _Float16 *__restrict__ V, _Float16 *__restrict__ out,
                               float *__restrict__ P, i64 H, i64 S, i64 T, i64 D, float scale)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:22: for h in range(H):
    for (i64 h = block_y; h < H; h += blocks_y) {  // one h a block
        // kernel.py:23: for i in range(S):
        for (i64 i = block_x; i < S; i += blocks_x) {  // one i a block
            // kernel.py:24: for j in range(T):
            for (i64 j = 0; j < T; ++j) {
                // kernel.py:25: s = f32(0)
                float s = 0.0f;
                float s_part = -0.0f;
                // kernel.py:26: for d in range(D):
                for (i64 d_vector = thread_x; d_vector < D / 8; d_vector += 256) {  // d over 256 lanes
                    const i64 d_first = d_vector * 8;
                    f16x8 Q_vector = *(const f16x8 *)&Q[(h * S + i) * D + d_first];
                    f16x8 K_vector = *(const f16x8 *)&K[(h * T + j) * D + d_first];
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
                        s_part = __builtin_fmaf((float)Q_vector[e], (float)K_vector[e], s_part);
                    }
                }
                s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
                s += s_part;
                // kernel.py:28: P[h, i, j] = s * scale
                if (thread_x == 0) {  // one lane stores
                    P[(h * S + i) * T + j] = s * scale;
                }
                __syncthreads();
            }
            // kernel.py:29: m = f32(-math.inf)
            float m = -__builtin_inff();
            __syncthreads();
            float m_part = -__builtin_inff();
            // kernel.py:30: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:31: if P[h, i, j] > m:
                m_part = py_max_f32(m_part, P[(h * S + i) * T + j]);
            }
            m_part = block_py_max_f32<256>(m_part, lds_values_f32, threadIdx.x);
            m = py_max_f32(m, m_part);
            // kernel.py:33: total = f32(0)
            float total = 0.0f;
            float total_part = -0.0f;
            // kernel.py:34: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                total_part += exp_f32(P[(h * S + i) * T + j] - m);
            }
            total_part = block_sum_f32<256>(total_part, lds_values_f32, threadIdx.x);
            total += total_part;
            // kernel.py:36: for d in range(D):
            for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                // kernel.py:37: o = f32(0)
                float o = 0.0f;
                // kernel.py:38: for j in range(T):
                for (i64 j = 0; j < T; ++j) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    o = __builtin_fmaf(exp_f32(P[(h * S + i) * T + j] - m), (float)V[(h * T + j) * D + d], o);
                }
                // kernel.py:40: out[h, i, d] = f16(o / total)
                out[(h * S + i) * D + d] = (_Float16)(o / total);
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

// Bytes of workspace that attention_naive needs for these sizes; its parts start at multiples of 256.
extern "C" size_t attention_naive_workspace(i64 H, i64 S, i64 D, i64 T)
{
    return D != 128 && D != 64 ? (H * S * T * 4 + 255) / 256 * 256 : 0;
}

// Launches attention_naive on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t attention_naive(const _Float16 *Q, const _Float16 *K, const _Float16 *V, _Float16 *out,
                                      float scale, i64 H, i64 S, i64 D, i64 T, void *workspace,
                                      hipStream_t stream)
{
    if (H < 0 || S < 0 || D < 0 || T < 0)
        return hipErrorInvalidValue;
    const i64 Q_bytes = H * S * D * 2;
    const i64 out_bytes = H * S * D * 2;
    const i64 K_bytes = H * T * D * 2;
    const i64 V_bytes = H * T * D * 2;
    if (overlap(Q, Q_bytes, out, out_bytes) ||
        overlap(K, K_bytes, out, out_bytes) ||
        overlap(V, V_bytes, out, out_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && attention_naive_workspace(H, S, D, T) > 0)
        return hipErrorInvalidValue;
    float *P = (float *)workspace;
    if (D == 128) {
        if ((size_t)Q % 16 == 0 && (size_t)K % 16 == 0 && (size_t)V % 16 == 0 && D % 8 == 0) {
            if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
                hipLaunchKernelGGL(attention_naive_kernel_128_aligned, dim3((unsigned int)grid_x), dim3(256),
                                   0, stream, Q, K, V, out, H, S, scale, T, D);
        } else {
            if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
                hipLaunchKernelGGL(attention_naive_kernel_128, dim3((unsigned int)grid_x), dim3(256), 0,
                                   stream, Q, K, V, out, H, S, scale, T, D);
        }
    } else if (D == 64) {
        if ((size_t)Q % 16 == 0 && (size_t)K % 16 == 0 && (size_t)V % 16 == 0 && D % 8 == 0) {
            if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
                hipLaunchKernelGGL(attention_naive_kernel_64_aligned, dim3((unsigned int)grid_x), dim3(256),
                                   0, stream, Q, K, V, out, H, S, scale, T, D);
        } else {
            if (const i64 grid_x = (S + 127) / 128 * H; grid_x > 0)
                hipLaunchKernelGGL(attention_naive_kernel_64, dim3((unsigned int)grid_x), dim3(256), 0,
                                   stream, Q, K, V, out, H, S, scale, T, D);
        }
    } else if ((size_t)Q % 16 == 0 && (size_t)K % 16 == 0 && D % 8 == 0) {
        if (const i64 grid_x = min_i64(S, 1048576), grid_y = min_i64(H, 65535); grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(attention_naive_kernel_aligned,
                               dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0, stream, Q, K,
                               V, out, P, H, S, T, D, scale);
    } else {
        if (const i64 grid_x = min_i64(S, 1048576), grid_y = min_i64(H, 65535); grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(attention_naive_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                               dim3(256), 0, stream, Q, K, V, out, P, H, S, T, D, scale);
    }
    return hipGetLastError();
}
#endif
