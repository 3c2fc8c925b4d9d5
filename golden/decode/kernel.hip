// Written by tl2hip from kernel.py for gfx942.
//
// A page has 16 tokens, of 2 heads each; 8 query heads share one of these.
//
// Where each loop went:
//   b  grid                                                         parallel
//   h  grid x                                                       8 that share keys in a block, a column of a tile each
//   j  steps of 32, 4 waves, slices over blocks where rows are few  scores by mfma_f32_16x16x16f16, sums by mfma_f32_16x16x4f32

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x8_any __attribute__((ext_vector_type(8), aligned(2)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));

// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
}

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

// An index as Python takes it: -n to -1 count from the end; -1 stands for any other outside 0 to n-1.
static inline __host__ __device__ i64 wrapped(i64 i, i64 n)
{
    const i64 at = i < 0 ? i + n : i;
    return at >= 0 && at < n ? at : -1;
}

static inline __host__ __device__ i64 row_major(i64 i, i64 j, i64 n)
{
    return i < 0 || j < 0 ? -1 : i * n + j;
}

template <typename T>
static inline __device__ T load_or_zero(const T *array, i64 at)
{
    return at >= 0 ? array[at] : T{};
}

// One matrix instruction of a whole wave: left @ right, added to the sums.
static inline __device__ f32x4 mfma_f32_16x16x16f16(f16x4 left, f16x4 right, f32x4 sums)
{
    return __builtin_amdgcn_mfma_f32_16x16x16f16(left, right, sums, 0, 0, 0);
}

static inline __host__ __device__ float greatest_f32(float a, float b) { return __builtin_fmaxf(a, b); }

// What the lane 16 on or before holds.
static inline __device__ float other_quarter(float x, unsigned int thread)
{
    const int from = (int)(thread ^ 16) * 4;
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, x)));
}

// What the lane 32 on or before holds.
static inline __device__ float other_half(float x, unsigned int thread)
{
    const int from = (int)(thread ^ 32) * 4;
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, x)));
}

// One matrix instruction of a whole wave: left @ right, added to the sums.
static inline __device__ f32x4 mfma_f32_16x16x4f32(float left, float right, f32x4 sums)
{
    return __builtin_amdgcn_mfma_f32_16x16x4f32(left, right, sums, 0, 0, 0);
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

// All threads of the block meet, and LDS is in order. Loads from memory stay in flight.
static inline __device__ void lds_barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

// f32 to f16. Without the call, clang adds +0 to a product that it rounds at once, and -0 becomes 0.
static inline __device__ _Float16 f16_from_f32(float x) { return (_Float16)__builtin_canonicalizef(x); }

// a block for the h that share keys
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
decode_kernel_whole(const _Float16 *__restrict__ q, const _Float16 *__restrict__ keys,
                    const _Float16 *__restrict__ values, const int *__restrict__ table,
                    const int *__restrict__ lengths, _Float16 *__restrict__ out, i64 B, i64 P, i64 W)
{
    __shared__ __attribute__((aligned(16))) float lds_most[32];
    __shared__ __attribute__((aligned(16))) float lds_total[32];
    __shared__ __attribute__((aligned(16))) float lds_sums[4224];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // A lane is one of 4 quarters of its wave, and in it one of 16 columns.
    const int thread = thread_x;
    const int column = thread % 16;
    const int quarter = thread / 16 % 4;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    // kernel.py:23: for b in range(B):
    for (i64 b = block_y; b < B; b += blocks_y) {  // one b a block
        for (i64 work = block_x; work < 2; work += blocks_x) {  // a group of h a block
            const i64 group = work;
            const i64 first_head = group * 8;
            const i64 heads = min_i64(8, 0 - first_head + 16);
            const i64 h = first_head + min_i64(column, heads - 1);
            const i64 start = 0;
            const i64 stop = (i64)lengths[b];
            f16x8 q_part[4] = {};
            #pragma unroll 4
            for (int s_2 = 0; s_2 < 4; ++s_2) {
                q_part[s_2] = *(const f16x8_any *)&q[(b * 16 + h) * 128 + s_2 * 32 + quarter * 8];
            }
            // Each wave takes every 4th 32 keys; it has a greatest score, a total and sums.
            float greatest = -__builtin_inff();
            float total_of_lane = 0.0f;
            f32x4 sums[8] = {};
            // kernel.py:31: s += f32(q[b, h, d]) * f32(keys[page, j % 16, h // 8, d])
            for (i64 first = start + wave * 32; first < stop; first += 128) {
                // Keys and values, all under way together; behind the last one they are zeros.
                f16x8 keys_part[2][4] = {};
                f16x8 values_part[2][4] = {};
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    const i64 tile = first + t * 16;
                    const int left = max_i64(min_i64(stop - tile, 16), 0);
                    if (tile < stop) {
                        const i64 keys_0_given =
                                (i64)load_or_zero(table, row_major(b, wrapped(tile / 16, W), W));
                        const i64 keys_0_wrapped = keys_0_given < 0 ? keys_0_given + P : keys_0_given;
                        const int keys_0 = __builtin_amdgcn_readfirstlane(0 <= keys_0_wrapped
                                && keys_0_wrapped < P ? keys_0_wrapped : -1);
                        const i64 keys_0_wide = (i64)(int)(keys_0);
                        const i64 values_0_given =
                                (i64)load_or_zero(table, row_major(b, wrapped(tile / 16, W), W));
                        const i64 values_0_wrapped = values_0_given < 0 ? values_0_given + P : values_0_given;
                        const int values_0 = __builtin_amdgcn_readfirstlane(0 <= values_0_wrapped
                                && values_0_wrapped < P ? values_0_wrapped : -1);
                        const i64 values_0_wide = (i64)(int)(values_0);
                        if (column < left) {
                            if (0 <= keys_0_wide) {
                                #pragma unroll 4
                                for (int s_2 = 0; s_2 < 4; ++s_2) {
                                    keys_part[t][s_2] =
                                            __builtin_nontemporal_load((const f16x8_any *)&keys[((keys_0_wide
                                            * 16 + tile % 16 + column) * 2 + group) * 128 + s_2 * 32 + quarter
                                            * 8]);
                                }
                            }
                        }
                        #pragma unroll 4
                        for (int g = 0; g < 4; ++g) {
                            if (quarter * 4 + g < left) {
                                if (0 <= values_0_wide) {
                                    values_part[t][g] =
                                            __builtin_nontemporal_load((const f16x8_any *)&values[((values_0_wide
                                            * 16 + tile % 16 + quarter * 4 + g) * 2 + group) * 128 + column
                                            * 8]);
                                }
                            }
                        }
                    }
                }
                // Scores: a lane has those of one h, of 4 keys in each tile.
                f32x4 scores_2[2] = {};
                #pragma unroll 4
                for (int s_2 = 0; s_2 < 4; ++s_2) {
                    #pragma unroll 2
                    for (int t = 0; t < 2; ++t) {
                        scores_2[t] = mfma_f32_16x16x16f16(keys_part[t][s_2].lo, q_part[s_2].lo, scores_2[t]);
                        scores_2[t] = mfma_f32_16x16x16f16(keys_part[t][s_2].hi, q_part[s_2].hi, scores_2[t]);
                    }
                }
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        const i64 key = first + t * 16 + quarter * 4 + g;
                        scores_2[t][g] = key < stop ? scores_2[t][g] * 0.088388346f : -__builtin_inff();
                    }
                }
                const float before = greatest;
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        // kernel.py:35: most = max(most, scores[j])
                        greatest = greatest_f32(greatest, scores_2[t][g]);
                    }
                }
                greatest = greatest_f32(greatest, other_quarter(greatest, threadIdx.x));
                greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
                // Weights over the new maximum, to which the sums so far come too. Nothing yet: over 0.
                const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
                const float rescale = exp_f32(before - base);
                total_of_lane *= rescale;
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        // kernel.py:38: total += np.exp(scores[j] - most)
                        scores_2[t][g] = exp_f32(scores_2[t][g] - base);
                        total_of_lane += scores_2[t][g];
                    }
                }
                #pragma unroll 8
                for (int x = 0; x < 8; ++x) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        sums[x][g] = sums[x][g] * rescale;
                    }
                }
                // Sums: values in f32 times the weights, which lie where the instruction takes them.
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        f32x8 wide;
                        #pragma unroll 8
                        for (int e = 0; e < 8; ++e) {
                            wide[e] = (float)values_part[t][g][e];
                        }
                        #pragma unroll 8
                        for (int e = 0; e < 8; ++e) {
                            // kernel.py:43: o += np.exp(scores[j] - most) * f32(values[page, j % 16, h // 8, d])
                            sums[e] = mfma_f32_16x16x4f32(wide[e], scores_2[t][g], sums[e]);
                        }
                    }
                }
                settle_11();
            }
            total_of_lane += other_quarter(total_of_lane, threadIdx.x);
            total_of_lane += other_half(total_of_lane, threadIdx.x);
            // The waves of the block meet in LDS.
            if (column < heads) {
                f32x4 few;
                if (quarter == 0) {
                    lds_most[wave * 8 + column] = greatest;
                    lds_total[wave * 8 + column] = total_of_lane;
                }
                #pragma unroll 4
                for (int g = 0; g < 4; ++g) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        few[e] = sums[e][g];
                    }
                    *(f32x4 *)&lds_sums[(wave * 8 + column) * 132 + (quarter * 4 + g) * 8] = few;
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        few[e] = sums[e + 4][g];
                    }
                    *(f32x4 *)&lds_sums[(wave * 8 + column) * 132 + (quarter * 4 + g) * 8 + 4] = few;
                }
            }
            lds_barrier();
            for (i64 n_2 = thread; n_2 < heads * 128; n_2 += 256) {
                const i64 own = n_2 / 128;
                const i64 d = n_2 % 128;
                const i64 h_here = first_head + own;
                float most = -__builtin_inff();
                #pragma unroll 4
                for (int part = 0; part < 4; ++part) {
                    most = greatest_f32(most, lds_most[part * 8 + own]);
                }
                const float base = most == -__builtin_inff() ? 0.0f : most;
                float total = 0.0f;
                float o = 0.0f;
                #pragma unroll 4
                for (int part = 0; part < 4; ++part) {
                    const float rescale = exp_f32(lds_most[part * 8 + own] - base);
                    total = __builtin_fmaf(lds_total[part * 8 + own], rescale, total);
                    o = __builtin_fmaf(lds_sums[(part * 8 + own) * 132 + d], rescale, o);
                }
                if (most == -__builtin_inff() && 0 < (i64)lengths[b]) {  // exp(-inf - -inf)
                    total = __builtin_nanf("");
                    o = __builtin_nanf("");
                }
                // kernel.py:44: out[b, h, d] = f16(o / total)
                out[(b * 16 + h_here) * 128 + d] = f16_from_f32(o / total);
            }
            lds_barrier();  // LDS is used again
        }
    }
}

// a block for the h that share keys and for each slice of the keys
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
decode_kernel_slices(const _Float16 *__restrict__ q, const _Float16 *__restrict__ keys,
                     const _Float16 *__restrict__ values, const int *__restrict__ table,
                     const int *__restrict__ lengths, float *__restrict__ most_of_slices,
                     float *__restrict__ total_of_slices, float *__restrict__ sums_of_slices, i64 B,
                     i64 j_slices, i64 j_slice, i64 P, i64 W)
{
    __shared__ __attribute__((aligned(16))) float lds_most[32];
    __shared__ __attribute__((aligned(16))) float lds_total[32];
    __shared__ __attribute__((aligned(16))) float lds_sums[4224];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // A lane is one of 4 quarters of its wave, and in it one of 16 columns.
    const int thread = thread_x;
    const int column = thread % 16;
    const int quarter = thread / 16 % 4;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    // kernel.py:23: for b in range(B):
    for (i64 b = block_y; b < B; b += blocks_y) {  // one b a block
        // a group of h a block, and a slice
        for (i64 work = block_x; work < 2 * j_slices; work += blocks_x) {
            const i64 slice = work / 2;
            const i64 block_of_heads = work % 2;
            const i64 group = block_of_heads;
            const i64 first_head = group * 8;
            const i64 heads = min_i64(8, 0 - first_head + 16);
            const i64 h = first_head + min_i64(column, heads - 1);
            const i64 end = (i64)lengths[b];
            const i64 start = slice * j_slice;
            const i64 stop = slice == j_slices - 1 ? end : min_i64(start + j_slice, end);
            f16x8 q_part[4] = {};
            #pragma unroll 4
            for (int s_2 = 0; s_2 < 4; ++s_2) {
                q_part[s_2] = *(const f16x8_any *)&q[(b * 16 + h) * 128 + s_2 * 32 + quarter * 8];
            }
            // Each wave takes every 4th 32 keys; it has a greatest score, a total and sums.
            float greatest = -__builtin_inff();
            float total_of_lane = 0.0f;
            f32x4 sums[8] = {};
            // kernel.py:31: s += f32(q[b, h, d]) * f32(keys[page, j % 16, h // 8, d])
            for (i64 first = start + wave * 32; first < stop; first += 128) {
                // Keys and values, all under way together; behind the last one they are zeros.
                f16x8 keys_part[2][4] = {};
                f16x8 values_part[2][4] = {};
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    const i64 tile = first + t * 16;
                    const int left = max_i64(min_i64(stop - tile, 16), 0);
                    if (tile < stop) {
                        const i64 keys_0_given =
                                (i64)load_or_zero(table, row_major(b, wrapped(tile / 16, W), W));
                        const i64 keys_0_wrapped = keys_0_given < 0 ? keys_0_given + P : keys_0_given;
                        const int keys_0 = __builtin_amdgcn_readfirstlane(0 <= keys_0_wrapped
                                && keys_0_wrapped < P ? keys_0_wrapped : -1);
                        const i64 keys_0_wide = (i64)(int)(keys_0);
                        const i64 values_0_given =
                                (i64)load_or_zero(table, row_major(b, wrapped(tile / 16, W), W));
                        const i64 values_0_wrapped = values_0_given < 0 ? values_0_given + P : values_0_given;
                        const int values_0 = __builtin_amdgcn_readfirstlane(0 <= values_0_wrapped
                                && values_0_wrapped < P ? values_0_wrapped : -1);
                        const i64 values_0_wide = (i64)(int)(values_0);
                        if (column < left) {
                            if (0 <= keys_0_wide) {
                                #pragma unroll 4
                                for (int s_2 = 0; s_2 < 4; ++s_2) {
                                    keys_part[t][s_2] =
                                            __builtin_nontemporal_load((const f16x8_any *)&keys[((keys_0_wide
                                            * 16 + tile % 16 + column) * 2 + group) * 128 + s_2 * 32 + quarter
                                            * 8]);
                                }
                            }
                        }
                        #pragma unroll 4
                        for (int g = 0; g < 4; ++g) {
                            if (quarter * 4 + g < left) {
                                if (0 <= values_0_wide) {
                                    values_part[t][g] =
                                            __builtin_nontemporal_load((const f16x8_any *)&values[((values_0_wide
                                            * 16 + tile % 16 + quarter * 4 + g) * 2 + group) * 128 + column
                                            * 8]);
                                }
                            }
                        }
                    }
                }
                // Scores: a lane has those of one h, of 4 keys in each tile.
                f32x4 scores_2[2] = {};
                #pragma unroll 4
                for (int s_2 = 0; s_2 < 4; ++s_2) {
                    #pragma unroll 2
                    for (int t = 0; t < 2; ++t) {
                        scores_2[t] = mfma_f32_16x16x16f16(keys_part[t][s_2].lo, q_part[s_2].lo, scores_2[t]);
                        scores_2[t] = mfma_f32_16x16x16f16(keys_part[t][s_2].hi, q_part[s_2].hi, scores_2[t]);
                    }
                }
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        const i64 key = first + t * 16 + quarter * 4 + g;
                        scores_2[t][g] = key < stop ? scores_2[t][g] * 0.088388346f : -__builtin_inff();
                    }
                }
                const float before = greatest;
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        // kernel.py:35: most = max(most, scores[j])
                        greatest = greatest_f32(greatest, scores_2[t][g]);
                    }
                }
                greatest = greatest_f32(greatest, other_quarter(greatest, threadIdx.x));
                greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));
                // Weights over the new maximum, to which the sums so far come too. Nothing yet: over 0.
                const float base = greatest == -__builtin_inff() ? 0.0f : greatest;
                const float rescale = exp_f32(before - base);
                total_of_lane *= rescale;
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        // kernel.py:38: total += np.exp(scores[j] - most)
                        scores_2[t][g] = exp_f32(scores_2[t][g] - base);
                        total_of_lane += scores_2[t][g];
                    }
                }
                #pragma unroll 8
                for (int x = 0; x < 8; ++x) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        sums[x][g] = sums[x][g] * rescale;
                    }
                }
                // Sums: values in f32 times the weights, which lie where the instruction takes them.
                #pragma unroll 2
                for (int t = 0; t < 2; ++t) {
                    #pragma unroll 4
                    for (int g = 0; g < 4; ++g) {
                        f32x8 wide;
                        #pragma unroll 8
                        for (int e = 0; e < 8; ++e) {
                            wide[e] = (float)values_part[t][g][e];
                        }
                        #pragma unroll 8
                        for (int e = 0; e < 8; ++e) {
                            // kernel.py:43: o += np.exp(scores[j] - most) * f32(values[page, j % 16, h // 8, d])
                            sums[e] = mfma_f32_16x16x4f32(wide[e], scores_2[t][g], sums[e]);
                        }
                    }
                }
                settle_11();
            }
            total_of_lane += other_quarter(total_of_lane, threadIdx.x);
            total_of_lane += other_half(total_of_lane, threadIdx.x);
            // The waves of the block meet in LDS.
            if (column < heads) {
                f32x4 few;
                if (quarter == 0) {
                    lds_most[wave * 8 + column] = greatest;
                    lds_total[wave * 8 + column] = total_of_lane;
                }
                #pragma unroll 4
                for (int g = 0; g < 4; ++g) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        few[e] = sums[e][g];
                    }
                    *(f32x4 *)&lds_sums[(wave * 8 + column) * 132 + (quarter * 4 + g) * 8] = few;
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        few[e] = sums[e + 4][g];
                    }
                    *(f32x4 *)&lds_sums[(wave * 8 + column) * 132 + (quarter * 4 + g) * 8 + 4] = few;
                }
            }
            lds_barrier();
            for (i64 n_2 = thread; n_2 < (start < stop ? heads * 128 : 0); n_2 += 256) {
                const i64 own = n_2 / 128;
                const i64 d = n_2 % 128;
                const i64 h_here = first_head + own;
                float most = -__builtin_inff();
                #pragma unroll 4
                for (int part = 0; part < 4; ++part) {
                    most = greatest_f32(most, lds_most[part * 8 + own]);
                }
                const float base = most == -__builtin_inff() ? 0.0f : most;
                float total = 0.0f;
                float o = 0.0f;
                #pragma unroll 4
                for (int part = 0; part < 4; ++part) {
                    const float rescale = exp_f32(lds_most[part * 8 + own] - base);
                    total = __builtin_fmaf(lds_total[part * 8 + own], rescale, total);
                    o = __builtin_fmaf(lds_sums[(part * 8 + own) * 132 + d], rescale, o);
                }
                if (d == 0) {
                    most_of_slices[((b * 2 + block_of_heads) * j_slices + slice) * 8 + own] = most;
                    total_of_slices[((b * 2 + block_of_heads) * j_slices + slice) * 8 + own] = total;
                }
                sums_of_slices[(((b * 2 + block_of_heads) * j_slices + slice) * 8 + own) * 128 + d] = o;
            }
            lds_barrier();  // LDS is used again
        }
    }
}

// merges the slices of each h
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void
decode_merge(const int *__restrict__ lengths, _Float16 *__restrict__ out,
             const float *__restrict__ most_of_slices, const float *__restrict__ total_of_slices,
             const float *__restrict__ sums_of_slices, i64 B, i64 j_slice, i64 j_slices)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:23: for b in range(B):
    for (i64 b = block_y; b < B; b += blocks_y) {  // one b a block
        // kernel.py:25: for h in range(16):
        for (i64 h = block_x; h < 16; h += blocks_x) {  // one h a block
            const i64 block_of_heads = b * 2 + h / 8;
            const i64 own = h - h / 8 * 8;
            const i64 parts = min_i64((max_i64((i64)lengths[b], 0) + j_slice - 1) / j_slice, j_slices);
            for (i64 n_2 = thread_x; n_2 < 128; n_2 += 128) {
                const i64 d = n_2;
                // kernel.py:35: most = max(most, scores[j])
                float most = -__builtin_inff();
                for (i64 part = 0; part < parts; ++part) {
                    most = greatest_f32(most, most_of_slices[(block_of_heads * j_slices + part) * 8 + own]);
                }
                const float base = most == -__builtin_inff() ? 0.0f : most;
                // kernel.py:38: total += np.exp(scores[j] - most)
                float total = 0.0f;
                // kernel.py:43: o += np.exp(scores[j] - most) * f32(values[page, j % 16, h // 8, d])
                float o = 0.0f;
                for (i64 part = 0; part < parts; ++part) {
                    const float rescale =
                            exp_f32(most_of_slices[(block_of_heads * j_slices + part) * 8 + own] - base);
                    total = __builtin_fmaf(total_of_slices[(block_of_heads * j_slices + part) * 8 + own],
                                           rescale, total);
                    o = __builtin_fmaf(sums_of_slices[((block_of_heads * j_slices + part) * 8 + own) * 128
                                                      + d], rescale, o);
                }
                if (most == -__builtin_inff() && 0 < (i64)lengths[b]) {  // exp(-inf - -inf)
                    total = __builtin_nanf("");
                    o = __builtin_nanf("");
                }
                // kernel.py:44: out[b, h, d] = f16(o / total)
                out[(b * 16 + h) * 128 + d] = f16_from_f32(o / total);
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

// Bytes of workspace that decode needs for these sizes; its parts start at multiples of 256.
extern "C" size_t decode_workspace(i64 B, i64 P, i64 W)
{
    return (7296 * 4 + 255) / 256 * 256 + (7296 * 4 + 255) / 256 * 256 + (7296 * 128 * 4 + 255) / 256 * 256;
}

// Launches decode on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t decode(const _Float16 *q, const _Float16 *keys, const _Float16 *values,
                             const int *table, const int *lengths, _Float16 *out, i64 B, i64 P, i64 W,
                             void *workspace, hipStream_t stream)
{
    if (B < 0 || P < 0 || W < 0)
        return hipErrorInvalidValue;
    const i64 q_bytes = B * 16 * 128 * 2;
    const i64 out_bytes = B * 16 * 128 * 2;
    const i64 keys_bytes = P * 16 * 2 * 128 * 2;
    const i64 values_bytes = P * 16 * 2 * 128 * 2;
    const i64 table_bytes = B * W * 4;
    const i64 lengths_bytes = B * 4;
    if (overlap(q, q_bytes, out, out_bytes) ||
        overlap(keys, keys_bytes, out, out_bytes) ||
        overlap(values, values_bytes, out, out_bytes) ||
        overlap(table, table_bytes, out, out_bytes) ||
        overlap(lengths, lengths_bytes, out, out_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && decode_workspace(B, P, W) > 0)
        return hipErrorInvalidValue;
    float *most_of_slices = (float *)workspace;
    float *total_of_slices = (float *)((char *)most_of_slices + (7296 * 4 + 255) / 256 * 256);
    float *sums_of_slices = (float *)((char *)total_of_slices + (7296 * 4 + 255) / 256 * 256);
    // slices that each may have
    const i64 j_share = max_i64(912 / max_i64(B * 2, 1), 1);
    // keys of a slice, 32 a wave at a time
    const i64 j_slice = max_i64(((W * 16 + 127) / 128 + j_share - 1) / j_share, 1) * 128;
    const i64 j_slices = (W * 16 + j_slice - 1) / j_slice;
    if (j_slices <= 1) {
        if (const i64 grid_y = min_i64(B, 65535); grid_y > 0)
            hipLaunchKernelGGL(decode_kernel_whole, dim3(2, (unsigned int)grid_y), dim3(256), 0, stream, q,
                               keys, values, table, lengths, out, B, P, W);
    } else {
        {
            const i64 grid_x = min_i64(2 * j_slices, 1048576);
            const i64 grid_y = min_i64(B, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(decode_kernel_slices, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(256), 0, stream, q, keys, values, table, lengths, most_of_slices,
                                   total_of_slices, sums_of_slices, B, j_slices, j_slice, P, W);
        }
        if (const i64 grid_y = min_i64(B, 65535); grid_y > 0)
            hipLaunchKernelGGL(decode_merge, dim3(16, (unsigned int)grid_y), dim3(128), 0, stream, lengths,
                               out, most_of_slices, total_of_slices, sums_of_slices, B, j_slice, j_slices);
    }
    return hipGetLastError();
}
#endif
