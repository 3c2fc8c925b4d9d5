// Written by tl2hip from kernel.py for gfx942.
//
// Y = gelu(X @ W.T + bias), GELU by its tanh form.
//
// Where each loop went:
//   t  grid x, tiles of 128, 2 waves  rows of a matrix product
//   h  grid x, tiles of 128, 2 waves  columns of a matrix product
//   d  tiles of 64, 2 stages          summed by mfma_f32_16x16x16f16

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x8_any __attribute__((ext_vector_type(8), aligned(2)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
}

// tanh x in single precision: x + x**3 * p(x*x) below 0.5625, above it 1 - 2/(e**(2x) + 1).
static __device__ inline float tanh_f32(float x) {
    const float a = __builtin_fabsf(x), z = a * a;
    float p = -0.0061883857f;
    p = __builtin_fmaf(p, z, 0.02101416f);
    p = __builtin_fmaf(p, z, -0.053839244f);
    p = __builtin_fmaf(p, z, 0.13332471f);
    p = __builtin_fmaf(p, z, -0.33333313f);
    const float inner = __builtin_fmaf(a * z, p, a);
    const float outer = 1.0f - 2.0f / (exp_f32(a + a) + 1.0f);
    return __builtin_copysignf(a < 0.5625f ? inner : outer, x);
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

// 16 bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.
static inline __device__ f16x8 fetch_f16x8(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(f16x8, __builtin_amdgcn_raw_buffer_load_b128(from, offset, ahead, 0));
}

// The same at any address. The empty asm keeps the widening of `offset` beside the load: moved out of a loop,
// it costs each load a 64-bit addition.
static inline __device__ f16x8 fetch_f16x8_any(const char *from, int &offset, i64 ahead)
{
    asm("" : "+v"(offset));
    return *(const f16x8_any *)(from + ahead + (unsigned int)offset);
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

// What a scheduling group counts.
enum { vector = 0x2, matrix = 0x8, global_read = 0x20, lds_read = 0x100, lds_write = 0x200 };

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

// a tile of 128 x 128 a block, 2 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
gemm_bias_gelu_kernel_aligned(const _Float16 *__restrict__ X, const _Float16 *__restrict__ W,
                              const float *__restrict__ bias, _Float16 *__restrict__ Y, i64 T, i64 H, i64 D)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_X[8192];
    __shared__ __attribute__((aligned(16))) _Float16 lds_W[8192];
    int from_X[4];
    int from_W[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int t_number, h_number;
    tile_of((int)block_x, (int)((T + 127) / 128), (int)((H + 127) / 128), 4, t_number, h_number);
    const int t_tile = __builtin_amdgcn_readfirstlane(t_number * 128);
    const int h_tile = __builtin_amdgcn_readfirstlane(h_number * 128);
    f32x4 sums[4][4] = {};
    f16x8 next_X[4];
    f16x8 part_X[2][4];
    // X: of each tile a thread moves 4 pieces of 16 bytes. from_X is where they are in memory, to_X where
    // they go in LDS, start_X where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_X = thread / 8;
    const int k_X = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_X[n] = (int)(((min_i64(t_tile + row_X + n * 32, T - 1) - t_tile) * D + k_X) * 2);
    }
    const int to_X = row_X * 64 + (k_X ^ (row_X % 8 * 8));
    const int start_X = wave / 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    f16x8 next_W[4];
    f16x8 part_W[2][4];
    // W: of each tile a thread moves 4 pieces of 16 bytes. from_W is where they are in memory, to_W where
    // they go in LDS, start_W where this lane's fragments begin there. In LDS rows of 2 fragments take turns
    // by 4, so that a lane has 8 neighbouring results. Pieces of a row change places by its number (^), so
    // that the lanes of an access meet in no bank.
    const int there_W = thread / 8;
    const int row_W = there_W / 32 * 32 + there_W % 16 / 4 * 8 + there_W % 32 / 16 * 4 + there_W % 4;
    const int k_W = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_W[n] = (int)(((min_i64(h_tile + row_W + n * 32, H - 1) - h_tile) * D + k_W) * 2);
    }
    const int to_W = there_W * 64 + (k_W ^ (there_W % 8 * 8));
    const int start_W = wave % 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (D + 63) / 64;
    const i64 k_last = (steps - 1) * 64;
    const __amdgpu_buffer_rsrc_t window_X = window(&X[t_tile * D]);
    const __amdgpu_buffer_rsrc_t window_W = window(&W[h_tile * D]);
    if (k_last + 64 <= D) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = fetch_f16x8(window_X, from_X[n], (steps - 1) * 128);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = fetch_f16x8(window_W, from_W[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = first_f16x8(&X[min_i64(t_tile + row_X + n * 32, T - 1) * D + k_last + k_X],
                                    D - (k_last + k_X));
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = first_f16x8(&W[min_i64(h_tile + row_W + n * 32, H - 1) * D + k_last + k_W],
                                    D - (k_last + k_W));
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_X[to_X + n * 32 * 64] = next_X[n];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_W[to_W + n * 32 * 64] = next_W[n];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = fetch_f16x8(window_X, from_X[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = fetch_f16x8(window_W, from_W[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_X[0][n] = *(const f16x8 *)&lds_X[start_X + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_W[0][n] = *(const f16x8 *)&lds_W[start_W + n * 16 * 64];
    }
    // kernel.py:21: for d in range(D):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_X[1][n] = *(const f16x8 *)&lds_X[(start_X ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_W[1][n] = *(const f16x8 *)&lds_W[(start_W ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:22: s += f32(X[t, d]) * f32(W[h, d])
                sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].lo, part_X[0][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_X[to_X + n * 32 * 64] = next_X[n];
            next_X[n] = fetch_f16x8(window_X, from_X[n], next * 128);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_W[to_W + n * 32 * 64] = next_W[n];
            next_W[n] = fetch_f16x8(window_W, from_W[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].hi, part_X[0][r].hi, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].lo, part_X[1][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_X[0][n] = *(const f16x8 *)&lds_X[start_X + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_W[0][n] = *(const f16x8 *)&lds_W[start_W + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].hi, part_X[1][r].hi, sums[r][c]);
            }
        }
        // The order of all that in the machine code: accesses spread out between matrix instructions.
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
        }
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].lo, part_X[0][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].hi, part_X[0][r].hi, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_X[1][n] = *(const f16x8 *)&lds_X[(start_X ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_W[1][n] = *(const f16x8 *)&lds_W[(start_W ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].lo, part_X[1][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].hi, part_X[1][r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 8 neighbouring h of one t in 2 fragments, whose columns take
    // turns.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 t = t_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 h_first = h_tile + wave % 2 * 64 + lane_again / 16 * 8 + c * 32;
            if (t < T) {
                if (h_first + 8 <= H) {
                    f32x4 bias_vectors[2];
                    bias_vectors[0] = *(const f32x4_any *)&bias[h_first];
                    bias_vectors[1] = *(const f32x4_any *)&bias[h_first + 4];
                    f16x8 Y_vector;
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        float s = sums[r][c * 2 + e / 4][e % 4];
                        // kernel.py:23: x = s + bias[h]
                        float x = s + bias_vectors[e / 4][e % 4];
                        // kernel.py:24: inner = f32(0.7978846) * (x + f32(0.044715) * x * x * x)
                        float inner = 0.7978846f * (x + 0.044715f * x * x * x);
                        // kernel.py:25: Y[t, h] = f16(f32(0.5) * x * (1 + math.tanh(inner)))
                        Y_vector[e] = f16_from_f32(0.5f * x * (1.0f + tanh_f32(inner)));
                    }
                    *(f16x8_any *)&Y[t * H + h_first] = Y_vector;
                } else {
                    #pragma unroll 8
                    for (int e = 0; e < 8; ++e) {
                        const i64 h = h_first + e;
                        if (h < H) {
                            float s = sums[r][c * 2 + e / 4][e % 4];
                            float x = s + bias[h];
                            float inner = 0.7978846f * (x + 0.044715f * x * x * x);
                            Y[t * H + h] = f16_from_f32(0.5f * x * (1.0f + tanh_f32(inner)));
                        }
                    }
                }
            }
        }
    }
}

// a tile of 128 x 128 a block, 2 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
gemm_bias_gelu_kernel(const _Float16 *__restrict__ X, const _Float16 *__restrict__ W,
                      const float *__restrict__ bias, _Float16 *__restrict__ Y, i64 T, i64 H, i64 D)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_X[8192];
    __shared__ __attribute__((aligned(16))) _Float16 lds_W[8192];
    int from_X[4];
    int from_W[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int t_number, h_number;
    tile_of((int)block_x, (int)((T + 127) / 128), (int)((H + 127) / 128), 4, t_number, h_number);
    const int t_tile = __builtin_amdgcn_readfirstlane(t_number * 128);
    const int h_tile = __builtin_amdgcn_readfirstlane(h_number * 128);
    f32x4 sums[4][4] = {};
    f16x8 next_X[4];
    f16x8 part_X[2][4];
    // X: of each tile a thread moves 4 pieces of 16 bytes. from_X is where they are in memory, to_X where
    // they go in LDS, start_X where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_X = thread / 8;
    const int k_X = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_X[n] = (int)(((min_i64(t_tile + row_X + n * 32, T - 1) - t_tile) * D + k_X) * 2);
    }
    const int to_X = row_X * 64 + (k_X ^ (row_X % 8 * 8));
    const int start_X = wave / 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    f16x8 next_W[4];
    f16x8 part_W[2][4];
    // W: of each tile a thread moves 4 pieces of 16 bytes. from_W is where they are in memory, to_W where
    // they go in LDS, start_W where this lane's fragments begin there. In LDS rows of 2 fragments take turns
    // by 4, so that a lane has 8 neighbouring results. Pieces of a row change places by its number (^), so
    // that the lanes of an access meet in no bank.
    const int there_W = thread / 8;
    const int row_W = there_W / 32 * 32 + there_W % 16 / 4 * 8 + there_W % 32 / 16 * 4 + there_W % 4;
    const int k_W = thread % 8 * 8;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_W[n] = (int)(((min_i64(h_tile + row_W + n * 32, H - 1) - h_tile) * D + k_W) * 2);
    }
    const int to_W = there_W * 64 + (k_W ^ (there_W % 8 * 8));
    const int start_W = wave % 2 * 4096 + lane % 16 * 64 + ((lane / 16 * 8) ^ (lane % 16 % 8 * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (D + 63) / 64;
    const i64 k_last = (steps - 1) * 64;
    const char *const window_X = (const char *)&X[t_tile * D];
    const char *const window_W = (const char *)&W[h_tile * D];
    if (k_last + 64 <= D) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = fetch_f16x8_any(window_X, from_X[n], (steps - 1) * 128);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = fetch_f16x8_any(window_W, from_W[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = first_f16x8_any(&X[min_i64(t_tile + row_X + n * 32, T - 1) * D + k_last + k_X],
                                        D - (k_last + k_X));
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = first_f16x8_any(&W[min_i64(h_tile + row_W + n * 32, H - 1) * D + k_last + k_W],
                                        D - (k_last + k_W));
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_X[to_X + n * 32 * 64] = next_X[n];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f16x8 *)&lds_W[to_W + n * 32 * 64] = next_W[n];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_X[n] = fetch_f16x8_any(window_X, from_X[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_W[n] = fetch_f16x8_any(window_W, from_W[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_X[0][n] = *(const f16x8 *)&lds_X[start_X + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_W[0][n] = *(const f16x8 *)&lds_W[start_W + n * 16 * 64];
    }
    // kernel.py:21: for d in range(D):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_X[1][n] = *(const f16x8 *)&lds_X[(start_X ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_W[1][n] = *(const f16x8 *)&lds_W[(start_W ^ 32) + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:22: s += f32(X[t, d]) * f32(W[h, d])
                sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].lo, part_X[0][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_X[to_X + n * 32 * 64] = next_X[n];
            next_X[n] = fetch_f16x8_any(window_X, from_X[n], next * 128);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f16x8 *)&lds_W[to_W + n * 32 * 64] = next_W[n];
            next_W[n] = fetch_f16x8_any(window_W, from_W[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].hi, part_X[0][r].hi, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].lo, part_X[1][r].lo, sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_X[0][n] = *(const f16x8 *)&lds_X[start_X + n * 16 * 64];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_W[0][n] = *(const f16x8 *)&lds_W[start_W + n * 16 * 64];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].hi, part_X[1][r].hi, sums[r][c]);
            }
        }
        // The order of all that in the machine code: accesses spread out between matrix instructions.
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
        }
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 2, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].lo, part_X[0][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[0][c].hi, part_X[0][r].hi, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_X[1][n] = *(const f16x8 *)&lds_X[(start_X ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_W[1][n] = *(const f16x8 *)&lds_W[(start_W ^ 32) + n * 16 * 64];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].lo, part_X[1][r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_W[1][c].hi, part_X[1][r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 8 neighbouring h of one t in 2 fragments, whose columns take
    // turns.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 t = t_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 h_first = h_tile + wave % 2 * 64 + lane_again / 16 * 8 + c * 32;
            if (t < T) {
                if (h_first + 8 <= H) {
                    f32x4 bias_vectors[2];
                    bias_vectors[0] = *(const f32x4_any *)&bias[h_first];
                    bias_vectors[1] = *(const f32x4_any *)&bias[h_first + 4];
                    f16x8 Y_vector;
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        float s = sums[r][c * 2 + e / 4][e % 4];
                        // kernel.py:23: x = s + bias[h]
                        float x = s + bias_vectors[e / 4][e % 4];
                        // kernel.py:24: inner = f32(0.7978846) * (x + f32(0.044715) * x * x * x)
                        float inner = 0.7978846f * (x + 0.044715f * x * x * x);
                        // kernel.py:25: Y[t, h] = f16(f32(0.5) * x * (1 + math.tanh(inner)))
                        Y_vector[e] = f16_from_f32(0.5f * x * (1.0f + tanh_f32(inner)));
                    }
                    *(f16x8_any *)&Y[t * H + h_first] = Y_vector;
                } else {
                    #pragma unroll 8
                    for (int e = 0; e < 8; ++e) {
                        const i64 h = h_first + e;
                        if (h < H) {
                            float s = sums[r][c * 2 + e / 4][e % 4];
                            float x = s + bias[h];
                            float inner = 0.7978846f * (x + 0.044715f * x * x * x);
                            Y[t * H + h] = f16_from_f32(0.5f * x * (1.0f + tanh_f32(inner)));
                        }
                    }
                }
            }
        }
    }
}

// a thread for each element, of any size
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemm_bias_gelu_kernel_any_size(const _Float16 *__restrict__ X, const _Float16 *__restrict__ W,
                               const float *__restrict__ bias, _Float16 *__restrict__ Y, i64 T, i64 H, i64 D)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:18: for t in range(T):
    for (i64 t_tile = block_y * 128; t_tile < T; t_tile += blocks_y * 128) {  // tiles of 128 t
        for (i64 t = t_tile + thread_y; t < min_i64(t_tile + 128, T); t += 4) {
            // kernel.py:19: for h in range(H):
            for (i64 h_tile = block_x * 128; h_tile < H; h_tile += blocks_x * 128) {  // tiles of 128 h
                for (i64 h = h_tile + thread_x; h < min_i64(h_tile + 128, H); h += 64) {
                    // kernel.py:20: s = f32(0)
                    float s = 0.0f;
                    // kernel.py:21: for d in range(D):
                    for (i64 d_tile = 0; d_tile < D; d_tile += 64) {  // tiles of 64 d
                        for (i64 d = d_tile; d < min_i64(d_tile + 64, D); ++d) {
                            // kernel.py:22: s += f32(X[t, d]) * f32(W[h, d])
                            s = __builtin_fmaf((float)X[t * D + d], (float)W[h * D + d], s);
                        }
                    }
                    // kernel.py:23: x = s + bias[h]
                    float x = s + bias[h];
                    // kernel.py:24: inner = f32(0.7978846) * (x + f32(0.044715) * x * x * x)
                    float inner = 0.7978846f * (x + 0.044715f * x * x * x);
                    // kernel.py:25: Y[t, h] = f16(f32(0.5) * x * (1 + math.tanh(inner)))
                    Y[t * H + h] = f16_from_f32(0.5f * x * (1.0f + tanh_f32(inner)));
                }
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

// Launches gemm_bias_gelu on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t gemm_bias_gelu(const _Float16 *X, const _Float16 *W, const float *bias, _Float16 *Y,
                                     i64 T, i64 D, i64 H, hipStream_t stream)
{
    if (T < 0 || D < 0 || H < 0)
        return hipErrorInvalidValue;
    const i64 X_bytes = T * D * 2;
    const i64 Y_bytes = T * H * 2;
    const i64 W_bytes = H * D * 2;
    const i64 bias_bytes = H * 4;
    if (overlap(X, X_bytes, Y, Y_bytes) ||
        overlap(W, W_bytes, Y, Y_bytes) ||
        overlap(bias, bias_bytes, Y, Y_bytes))
        return hipErrorInvalidValue;
    if (0 < D && D < 4194304 && (T + 127) / 128 * ((H + 127) / 128) <= 8388608) {
        if ((size_t)X % 16 == 0 && (size_t)W % 16 == 0 && D % 8 == 0) {
            if (const i64 grid_x = (T + 127) / 128 * ((H + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(gemm_bias_gelu_kernel_aligned, dim3((unsigned int)grid_x), dim3(256), 0,
                                   stream, X, W, bias, Y, T, H, D);
        } else {
            if (const i64 grid_x = (T + 127) / 128 * ((H + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(gemm_bias_gelu_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, X,
                                   W, bias, Y, T, H, D);
        }
    } else {
        {
            const i64 grid_x = min_i64((H + 127) / 128, 1048576);
            const i64 grid_y = min_i64((T + 127) / 128, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(gemm_bias_gelu_kernel_any_size,
                                   dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(64, 4), 0, stream,
                                   X, W, bias, Y, T, H, D);
        }
    }
    return hipGetLastError();
}
#endif
