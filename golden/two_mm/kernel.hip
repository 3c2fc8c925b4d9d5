// Written by tl2hip from kernel.py for gfx942.
//
// D = alpha * A @ B @ C + beta * D.
//
// Where each loop went:
//   m  grid x, tiles of 4096, 256 threads                                   elementwise, 4 elements at a time
//   n  grid x, tiles of 4096, 256 threads                                   elementwise, 4 elements at a time
//   i  grid x, tiles of 128, 2 waves                                        rows of a matrix product
//   j  grid x, tiles of 128, 2 waves                                        columns of a matrix product
//   k  tiles of 32, 2 stages                                                summed by mfma_f32_16x16x4f32
//   i  grid x, tiles of 128, 2 waves or 32, 2 waves                         rows of a matrix product
//   j  grid x, tiles of 128, 2 waves or 32, 2 waves                         columns of a matrix product
//   k  tiles of 32 or 64, 2 stages, slices over grid y where tiles are few  summed by mfma_f32_16x16x4f32

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));
typedef float f32x2 __attribute__((ext_vector_type(2)));

// x // y rounded down; 0 for y = 0, and the least value // -1 wraps to itself.
static __device__ inline long long floordiv_i64(long long x, long long y) {
    if (y == 0) return 0;
    if (y == -1) return (long long)(0u - (unsigned long long)x);
    const long long quotient = (long long)(x / y), rest = (long long)(x - quotient * y);
    return (long long)(quotient - (rest != 0 && (rest < 0) != (y < 0)));
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
static inline __device__ f32x4 fetch_f32x4(__amdgpu_buffer_rsrc_t from, int offset, int ahead)
{
    return __builtin_bit_cast(f32x4, __builtin_amdgcn_raw_buffer_load_b128(from, offset, ahead, 0));
}

// Up to `count` elements from a place on, and zeros behind them.
static inline __device__ f32x4 first_f32x4(const float *from, i64 count)
{
    if (count >= 4)
        return *(const f32x4 *)from;
    f32x4 some = {};
    for (int e = 0; e < 4; ++e)
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

// Which lane of its wave this is, found anew: no register keeps it.
static inline __device__ int lane_now()
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) % 64;
}

// The same at any address. The empty asm keeps the widening of `offset` beside the load: moved out of a loop,
// it costs each load a 64-bit addition.
static inline __device__ f32x4 fetch_f32x4_any(const char *from, int &offset, i64 ahead)
{
    asm("" : "+v"(offset));
    return *(const f32x4_any *)(from + ahead + (unsigned int)offset);
}

// Up to `count` elements from a place on, and zeros behind them.
static inline __device__ f32x4 first_f32x4_any(const float *from, i64 count)
{
    if (count >= 4)
        return *(const f32x4_any *)from;
    f32x4 some = {};
    for (int e = 0; e < 4; ++e)
        if (e < count)
            some[e] = from[e];
    return some;
}

// What a scheduling group counts.
enum { vector = 0x2, matrix = 0x8, global_read = 0x20, lds_read = 0x100, lds_write = 0x200 };

// a block for 4096 elements, 4 at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel(float *__restrict__ T, i64 M, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    const i64 block = block_y * blocks_x + block_x;
    // kernel.py:20: T = np.zeros((M, N), dtype=np.float32)
    if (block < M * N / 4096) {  // a whole tile of 4096
        const i64 m_n_first = block * 4096 + thread_x / 64 * 1024 + thread_x % 64 * 4;
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {
            f32x4 T_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                T_vector[e] = 0.0f;
            }
            *(f32x4_any *)&T[m_n_first + v * 256] = T_vector;
        }
    }
    const i64 m_n = M * N / 4096 * 4096 + block * 256 + thread_x;
    if (m_n < M * N) {  // behind the last whole tile
        T[m_n] = 0.0f;
    }
}

// a tile of 128 x 128 a block, 2 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
two_mm_kernel_aligned(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ T, i64 M,
                      i64 N, i64 K, float alpha)
{
    __shared__ __attribute__((aligned(16))) float lds_A[4096];
    __shared__ __attribute__((aligned(16))) float lds_B[4096];
    int from_B[4];
    int from_A[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)((M + 127) / 128), (int)((N + 127) / 128), 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 128);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 128);
    f32x4 sums[4][4] = {};
    f32x4 part_A[2][4];
    f32x4 computed_A;
    f32x4 next_A[4][1];
    // A factor is computed from A on its way to LDS: of each tile a thread computes 4 blocks of 4 elements.
    // What they need waits in registers. to_A is where they go in LDS, start_A where this lane's fragments
    // begin there. Pieces of a row change places by its number (^), so that the lanes of an access meet in no
    // bank.
    const int row_A = thread / 8;
    const int k_A = thread % 8 * 4;
    const int pitch_A = K * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_A[n] = (int)(min_i64(i_tile + row_A + n * 32, M - 1) * pitch_A + k_A * 4);
    }
    const int to_A = row_A * 32 + (k_A ^ (row_A % 8 * 4));
    const int start_A = wave / 2 * 2048 + lane % 16 * 32 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_B[4];
    f32x4 part_B[2][4];
    f32x4 turned_B[4];
    // B: of each tile a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time so that LDS
    // has neighbours along the sum. from_B is where they are in memory, to_B where they go in LDS, start_B
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_B = (thread % 8 + thread / 8 % 4 * 8) * 4;
    const int k_B = thread / 32 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_B[n] = (int)(((k_B + n) * N + min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4) - j_tile) * 4);
    }
    const int to_B = row_B * 32 + (k_B ^ (((row_B % 8) ^ (row_B / 8 % 8)) * 4));
    const int start_B = wave % 2 * 2048 + lane % 16 * 32
            + ((lane / 16 * 4) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (K + 31) / 32;
    const i64 k_last = (steps - 1) * 32;
    const __amdgpu_buffer_rsrc_t window_A = window(&A[0]);
    const __amdgpu_buffer_rsrc_t window_B = window(&B[j_tile]);
    const int step_B = N * 128;
    if (k_last + 32 <= K && (N % 4 == 0 || j_tile + 128 <= N)) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4(window_B, from_B[n], (steps - 1) * step_B);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n][0] = fetch_f32x4(window_A, from_A[n], (steps - 1) * 32 * 4);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n][0] = *(const f32x4 *)&A[min_i64(i_tile + row_A + n * 32, M - 1) * K
                                              + min_i64(k_last + k_A, K - 4)];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = first_f32x4(&B[(k_last + k_B + n) * N + min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4)],
                                    k_last + k_B + n < K ? N - min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4)
                                    : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            computed_A[e] = k_last + k_A + e < K ? alpha * next_A[n][0][e] : 0.0f;
        }
        *(f32x4 *)&lds_A[to_A + n * 32 * 32] = computed_A;
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            turned_B[e][q] = next_B[q][e];
        }
        *(f32x4 *)&lds_B[(to_B ^ (e * 4)) + e * 32] = turned_B[e];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4(window_B, from_B[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n][0] = fetch_f32x4(window_A, from_A[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[0][n] = *(const f32x4 *)&lds_A[start_A + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[0][n] = *(const f32x4 *)&lds_B[(start_B ^ (n * 2 * 4)) + n * 16 * 32];
    }
    // kernel.py:23: for k in range(K):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[1][n] = *(const f32x4 *)&lds_A[(start_A ^ 16) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[1][n] = *(const f32x4 *)&lds_B[(start_B ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:24: T[i, j] += alpha * A[i, k] * B[k, j]
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][0], part_A[0][r][0], sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_B[e][q] = next_B[q][e];
            }
            *(f32x4 *)&lds_B[(to_B ^ (e * 4)) + e * 32] = turned_B[e];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                computed_A[e] = alpha * next_A[n][0][e];
            }
            *(f32x4 *)&lds_A[to_A + n * 32 * 32] = computed_A;
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4(window_B, from_B[n], next * step_B);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_A[n][0] = fetch_f32x4(window_A, from_A[n], next * 32 * 4);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][1], part_A[0][r][1], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][2], part_A[0][r][2], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][3], part_A[0][r][3], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][0], part_A[1][r][0], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][1], part_A[1][r][1], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][2], part_A[1][r][2], sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[0][n] = *(const f32x4 *)&lds_A[start_A + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[0][n] = *(const f32x4 *)&lds_B[(start_B ^ (n * 2 * 4)) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][3], part_A[1][r][3], sums[r][c]);
            }
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][0], part_A[0][r][0], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][1], part_A[0][r][1], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][2], part_A[0][r][2], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][3], part_A[0][r][3], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[1][n] = *(const f32x4 *)&lds_A[(start_A ^ 16) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[1][n] = *(const f32x4 *)&lds_B[(start_B ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][0], part_A[1][r][0], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][1], part_A[1][r][1], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][2], part_A[1][r][2], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][3], part_A[1][r][3], sums[r][c]);
        }
    }
    settle_11();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            const i64 j_first = j_tile + wave % 2 * 64 + lane_again / 16 * 4 + c * 16;
            if (i < M) {
                if (j_first + 4 <= N) {
                    f32x4 T_vector = *(const f32x4_any *)&T[i * N + j_first];
                    #pragma unroll 4
                    for (i64 e = 0; e < 4; ++e) {
                        float T_held_start = T_vector[e];
                        float T_held = T_held_start + sums[r][c][e];
                        T_vector[e] = T_held;
                    }
                    *(f32x4_any *)&T[i * N + j_first] = T_vector;
                } else {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        const i64 j = j_first + e;
                        if (j < N) {
                            float T_held_start = T[i * N + j];
                            float T_held = T_held_start + sums[r][c][e];
                            T[i * N + j] = T_held;
                        }
                    }
                }
            }
        }
    }
}

// a tile of 128 x 128 a block, 2 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
two_mm_kernel_2(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ T, i64 M, i64 N,
                i64 K, float alpha)
{
    __shared__ __attribute__((aligned(16))) float lds_A[4096];
    __shared__ __attribute__((aligned(16))) float lds_B[4096];
    int from_B[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)((M + 127) / 128), (int)((N + 127) / 128), 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 128);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 128);
    f32x4 sums[4][4] = {};
    f32x4 part_A[2][4];
    f32x4 computed_A;
    // A factor is computed from A on its way to LDS: of each tile a thread computes 4 blocks of 4 elements.
    // to_A is where they go in LDS, start_A where this lane's fragments begin there. Pieces of a row change
    // places by its number (^), so that the lanes of an access meet in no bank.
    const int row_A = thread / 8;
    const int k_A = thread % 8 * 4;
    const int to_A = row_A * 32 + (k_A ^ (row_A % 8 * 4));
    const int start_A = wave / 2 * 2048 + lane % 16 * 32 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_B[4];
    f32x4 part_B[2][4];
    f32x4 turned_B[4];
    // B: of each tile a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time so that LDS
    // has neighbours along the sum. from_B is where they are in memory, to_B where they go in LDS, start_B
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_B = (thread % 8 + thread / 8 % 4 * 8) * 4;
    const int k_B = thread / 32 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_B[n] = (int)(((k_B + n) * N + min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4) - j_tile) * 4);
    }
    const int to_B = row_B * 32 + (k_B ^ (((row_B % 8) ^ (row_B / 8 % 8)) * 4));
    const int start_B = wave % 2 * 2048 + lane % 16 * 32
            + ((lane / 16 * 4) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (K + 31) / 32;
    const i64 k_last = (steps - 1) * 32;
    const char *const window_B = (const char *)&B[j_tile];
    const i64 step_B = (i64)(int)(N * 128);
    if (k_last + 32 <= K && (N % 4 == 0 || j_tile + 128 <= N)) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4_any(window_B, from_B[n], (steps - 1) * step_B);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = first_f32x4_any(&B[(k_last + k_B + n) * N
                                           + min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4)],
                                        k_last + k_B + n < K
                                        ? N - min_i64(j_tile + row_B, (N + 3) / 4 * 4 - 4) : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int q = 0; q < 1; ++q) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                computed_A[q * 4 + e] = k_last + k_A + q * 4 + e < K
                        ? alpha
                        * A[min_i64(i_tile + row_A + n * 32, M - 1) * K
                            + min_i64(k_last + k_A + q * 4 + e, K - 1)] : 0.0f;
            }
            __builtin_amdgcn_sched_barrier(0);
        }
        *(f32x4 *)&lds_A[to_A + n * 32 * 32] = computed_A;
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            turned_B[e][q] = next_B[q][e];
        }
        *(f32x4 *)&lds_B[(to_B ^ (e * 4)) + e * 32] = turned_B[e];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4_any(window_B, from_B[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[0][n] = *(const f32x4 *)&lds_A[start_A + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[0][n] = *(const f32x4 *)&lds_B[(start_B ^ (n * 2 * 4)) + n * 16 * 32];
    }
    // kernel.py:23: for k in range(K):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[1][n] = *(const f32x4 *)&lds_A[(start_A ^ 16) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[1][n] = *(const f32x4 *)&lds_B[(start_B ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:24: T[i, j] += alpha * A[i, k] * B[k, j]
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][0], part_A[0][r][0], sums[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_B[e][q] = next_B[q][e];
            }
            *(f32x4 *)&lds_B[(to_B ^ (e * 4)) + e * 32] = turned_B[e];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int q = 0; q < 1; ++q) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    computed_A[q * 4 + e] = alpha
                            * A[min_i64(i_tile + row_A + n * 32, M - 1) * K + (step - 1) * 32 + k_A + q * 4
                                + e];
                }
                __builtin_amdgcn_sched_barrier(0);
            }
            *(f32x4 *)&lds_A[to_A + n * 32 * 32] = computed_A;
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_B[n] = fetch_f32x4_any(window_B, from_B[n], next * step_B);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][1], part_A[0][r][1], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][2], part_A[0][r][2], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][3], part_A[0][r][3], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][0], part_A[1][r][0], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][1], part_A[1][r][1], sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][2], part_A[1][r][2], sums[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[0][n] = *(const f32x4 *)&lds_A[start_A + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_B[0][n] = *(const f32x4 *)&lds_B[(start_B ^ (n * 2 * 4)) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][3], part_A[1][r][3], sums[r][c]);
            }
        }
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][0], part_A[0][r][0], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][1], part_A[0][r][1], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][2], part_A[0][r][2], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[0][c][3], part_A[0][r][3], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[1][n] = *(const f32x4 *)&lds_A[(start_A ^ 16) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_B[1][n] = *(const f32x4 *)&lds_B[(start_B ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][0], part_A[1][r][0], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][1], part_A[1][r][1], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][2], part_A[1][r][2], sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums[r][c] = mfma_f32_16x16x4f32(part_B[1][c][3], part_A[1][r][3], sums[r][c]);
        }
    }
    settle_11();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            const i64 j_first = j_tile + wave % 2 * 64 + lane_again / 16 * 4 + c * 16;
            if (i < M) {
                if (j_first + 4 <= N) {
                    f32x4 T_vector = *(const f32x4_any *)&T[i * N + j_first];
                    #pragma unroll 4
                    for (i64 e = 0; e < 4; ++e) {
                        float T_held_start = T_vector[e];
                        float T_held = T_held_start + sums[r][c][e];
                        T_vector[e] = T_held;
                    }
                    *(f32x4_any *)&T[i * N + j_first] = T_vector;
                } else {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        const i64 j = j_first + e;
                        if (j < N) {
                            float T_held_start = T[i * N + j];
                            float T_held = T_held_start + sums[r][c][e];
                            T[i * N + j] = T_held;
                        }
                    }
                }
            }
        }
    }
}

// a thread for each element, of any size
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel_any_size(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ T, i64 M,
                       i64 N, i64 K, float alpha)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:21: for i in range(M):
    for (i64 i = block_y * 4 + thread_y; i < M; i += blocks_y * 4) {  // 4 i a block
        // kernel.py:22: for j in range(N):
        for (i64 j = block_x * 64 + thread_x; j < N; j += blocks_x * 64) {  // 64 j a block
            if (0 < K) {
                // kernel.py:24: T[i, j] += alpha * A[i, k] * B[k, j]
                float T_held = T[i * N + j];
                // kernel.py:23: for k in range(K):
                for (i64 k = 0; k < K; ++k) {
                    T_held = __builtin_fmaf(alpha * A[i * K + k], B[k * N + j], T_held);
                }
                T[i * N + j] = T_held;
            }
        }
    }
}

// a tile of 128 x 128 a block, 2 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
two_mm_kernel_aligned_2(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T,
                        i64 M, i64 L, i64 N, float beta)
{
    __shared__ __attribute__((aligned(16))) float lds_T[4096];
    __shared__ __attribute__((aligned(16))) float lds_C[4096];
    int from_T[4];
    int from_C[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_2_number, j_2_number;
    tile_of((int)block_x, (int)((M + 127) / 128), (int)((L + 127) / 128), 4, i_2_number, j_2_number);
    const int i_2_tile = __builtin_amdgcn_readfirstlane(i_2_number * 128);
    const int j_2_tile = __builtin_amdgcn_readfirstlane(j_2_number * 128);
    f32x4 sums_2[4][4] = {};
    f32x4 next_T[4];
    f32x4 part_T[2][4];
    // T: of each tile a thread moves 4 pieces of 16 bytes. from_T is where they are in memory, to_T where
    // they go in LDS, start_T where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_T = thread / 8;
    const int k_T = thread % 8 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_T[n] = (int)(((min_i64(i_2_tile + row_T + n * 32, M - 1) - i_2_tile) * N + k_T) * 4);
    }
    const int to_T = row_T * 32 + (k_T ^ (row_T % 8 * 4));
    const int start_T = wave / 2 * 2048 + lane % 16 * 32 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_C[4];
    f32x4 part_C[2][4];
    f32x4 turned_C[4];
    // C: of each tile a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time so that LDS
    // has neighbours along the sum. from_C is where they are in memory, to_C where they go in LDS, start_C
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_C = (thread % 8 + thread / 8 % 4 * 8) * 4;
    const int k_C = thread / 32 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_C[n] = (int)(((k_C + n) * L + min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4) - j_2_tile) * 4);
    }
    const int to_C = row_C * 32 + (k_C ^ (((row_C % 8) ^ (row_C / 8 % 8)) * 4));
    const int start_C = wave % 2 * 2048 + lane % 16 * 32
            + ((lane / 16 * 4) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (N + 31) / 32;
    const i64 k_last = (steps - 1) * 32;
    const __amdgpu_buffer_rsrc_t window_T = window(&T[i_2_tile * N]);
    const __amdgpu_buffer_rsrc_t window_C = window(&C[j_2_tile]);
    const int step_C = L * 128;
    if (k_last + 32 <= N && (L % 4 == 0 || j_2_tile + 128 <= L)) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4(window_C, from_C[n], (steps - 1) * step_C);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4(window_T, from_T[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = first_f32x4(&T[min_i64(i_2_tile + row_T + n * 32, M - 1) * N + k_last + k_T],
                                    N - (k_last + k_T));
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = first_f32x4(&C[(k_last + k_C + n) * L
                                       + min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4)], k_last + k_C + n < N
                                    ? L - min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4) : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f32x4 *)&lds_T[to_T + n * 32 * 32] = next_T[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            turned_C[e][q] = next_C[q][e];
        }
        *(f32x4 *)&lds_C[(to_C ^ (e * 4)) + e * 32] = turned_C[e];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4(window_C, from_C[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4(window_T, from_T[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_T[0][n] = *(const f32x4 *)&lds_T[start_T + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_C[0][n] = *(const f32x4 *)&lds_C[(start_C ^ (n * 2 * 4)) + n * 16 * 32];
    }
    // kernel.py:28: for k in range(N):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_T[1][n] = *(const f32x4 *)&lds_T[(start_T ^ 16) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_C[1][n] = *(const f32x4 *)&lds_C[(start_C ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][0], part_T[0][r][0], sums_2[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_C[e][q] = next_C[q][e];
            }
            *(f32x4 *)&lds_C[(to_C ^ (e * 4)) + e * 32] = turned_C[e];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f32x4 *)&lds_T[to_T + n * 32 * 32] = next_T[n];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4(window_C, from_C[n], next * step_C);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4(window_T, from_T[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][1], part_T[0][r][1], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][2], part_T[0][r][2], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][3], part_T[0][r][3], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][0], part_T[1][r][0], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][1], part_T[1][r][1], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][2], part_T[1][r][2], sums_2[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_T[0][n] = *(const f32x4 *)&lds_T[start_T + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_C[0][n] = *(const f32x4 *)&lds_C[(start_C ^ (n * 2 * 4)) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][3], part_T[1][r][3], sums_2[r][c]);
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
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
        }
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
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
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][0], part_T[0][r][0], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][1], part_T[0][r][1], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][2], part_T[0][r][2], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][3], part_T[0][r][3], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_T[1][n] = *(const f32x4 *)&lds_T[(start_T ^ 16) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_C[1][n] = *(const f32x4 *)&lds_C[(start_C ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][0], part_T[1][r][0], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][1], part_T[1][r][1], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][2], part_T[1][r][2], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][3], part_T[1][r][3], sums_2[r][c]);
        }
    }
    settle_11();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i_2 = i_2_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            const i64 j_first = j_2_tile + wave % 2 * 64 + lane_again / 16 * 4 + c * 16;
            if (i_2 < M) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    const i64 j_2 = j_first + e;
                    if (j_2 < L) {
                        // kernel.py:27: D[i, j] *= beta
                        D[i_2 * L + j_2] *= beta;
                        float D_held_start = D[i_2 * L + j_2];
                        float D_held = D_held_start + sums_2[r][c][e];
                        D[i_2 * L + j_2] = D_held;
                    }
                }
            }
        }
    }
}

// a tile of 128 x 128 a block, 2 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(2, 2))) void
two_mm_kernel_3(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T, i64 M, i64 L,
                i64 N, float beta)
{
    __shared__ __attribute__((aligned(16))) float lds_T[4096];
    __shared__ __attribute__((aligned(16))) float lds_C[4096];
    int from_T[4];
    int from_C[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 128 x 128 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_2_number, j_2_number;
    tile_of((int)block_x, (int)((M + 127) / 128), (int)((L + 127) / 128), 4, i_2_number, j_2_number);
    const int i_2_tile = __builtin_amdgcn_readfirstlane(i_2_number * 128);
    const int j_2_tile = __builtin_amdgcn_readfirstlane(j_2_number * 128);
    f32x4 sums_2[4][4] = {};
    f32x4 next_T[4];
    f32x4 part_T[2][4];
    // T: of each tile a thread moves 4 pieces of 16 bytes. from_T is where they are in memory, to_T where
    // they go in LDS, start_T where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_T = thread / 8;
    const int k_T = thread % 8 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_T[n] = (int)(((min_i64(i_2_tile + row_T + n * 32, M - 1) - i_2_tile) * N + k_T) * 4);
    }
    const int to_T = row_T * 32 + (k_T ^ (row_T % 8 * 4));
    const int start_T = wave / 2 * 2048 + lane % 16 * 32 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_C[4];
    f32x4 part_C[2][4];
    f32x4 turned_C[4];
    // C: of each tile a thread moves 4 pieces of 16 bytes, of which 4 rows are turned at a time so that LDS
    // has neighbours along the sum. from_C is where they are in memory, to_C where they go in LDS, start_C
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_C = (thread % 8 + thread / 8 % 4 * 8) * 4;
    const int k_C = thread / 32 * 4;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        from_C[n] = (int)(((k_C + n) * L + min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4) - j_2_tile) * 4);
    }
    const int to_C = row_C * 32 + (k_C ^ (((row_C % 8) ^ (row_C / 8 % 8)) * 4));
    const int start_C = wave % 2 * 2048 + lane % 16 * 32
            + ((lane / 16 * 4) ^ (((lane % 16 % 8) ^ (lane % 16 / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = (N + 31) / 32;
    const i64 k_last = (steps - 1) * 32;
    const char *const window_T = (const char *)&T[i_2_tile * N];
    const char *const window_C = (const char *)&C[j_2_tile];
    const i64 step_C = (i64)(int)(L * 128);
    if (k_last + 32 <= N && (L % 4 == 0 || j_2_tile + 128 <= L)) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4_any(window_C, from_C[n], (steps - 1) * step_C);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4_any(window_T, from_T[n], (steps - 1) * 128);
        }
    } else {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = first_f32x4_any(&T[min_i64(i_2_tile + row_T + n * 32, M - 1) * N + k_last + k_T],
                                        N - (k_last + k_T));
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = first_f32x4_any(&C[(k_last + k_C + n) * L
                                           + min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4)],
                                        k_last + k_C + n < N
                                        ? L - min_i64(j_2_tile + row_C, (L + 3) / 4 * 4 - 4) : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        *(f32x4 *)&lds_T[to_T + n * 32 * 32] = next_T[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 4
        for (int q = 0; q < 4; ++q) {
            turned_C[e][q] = next_C[q][e];
        }
        *(f32x4 *)&lds_C[(to_C ^ (e * 4)) + e * 32] = turned_C[e];
    }
    if (1 < steps) {
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4_any(window_C, from_C[n], 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4_any(window_T, from_T[n], 0);
        }
    }
    lds_barrier();
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_T[0][n] = *(const f32x4 *)&lds_T[start_T + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_C[0][n] = *(const f32x4 *)&lds_C[(start_C ^ (n * 2 * 4)) + n * 16 * 32];
    }
    // kernel.py:28: for k in range(N):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_T[1][n] = *(const f32x4 *)&lds_T[(start_T ^ 16) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_C[1][n] = *(const f32x4 *)&lds_C[(start_C ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][0], part_T[0][r][0], sums_2[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 4
            for (int q = 0; q < 4; ++q) {
                turned_C[e][q] = next_C[q][e];
            }
            *(f32x4 *)&lds_C[(to_C ^ (e * 4)) + e * 32] = turned_C[e];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            *(f32x4 *)&lds_T[to_T + n * 32 * 32] = next_T[n];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_C[n] = fetch_f32x4_any(window_C, from_C[n], next * step_C);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            next_T[n] = fetch_f32x4_any(window_T, from_T[n], next * 128);
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][1], part_T[0][r][1], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][2], part_T[0][r][2], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][3], part_T[0][r][3], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][0], part_T[1][r][0], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][1], part_T[1][r][1], sums_2[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][2], part_T[1][r][2], sums_2[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_T[0][n] = *(const f32x4 *)&lds_T[start_T + n * 16 * 32];
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_C[0][n] = *(const f32x4 *)&lds_C[(start_C ^ (n * 2 * 4)) + n * 16 * 32];
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {
                sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][3], part_T[1][r][3], sums_2[r][c]);
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
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
        }
        #pragma unroll 8
        for (int n = 0; n < 8; ++n) {
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
            __builtin_amdgcn_sched_group_barrier(matrix, 6, 0);
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
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][0], part_T[0][r][0], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][1], part_T[0][r][1], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][2], part_T[0][r][2], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[0][c][3], part_T[0][r][3], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_T[1][n] = *(const f32x4 *)&lds_T[(start_T ^ 16) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_C[1][n] = *(const f32x4 *)&lds_C[(start_C ^ (16 ^ (n * 2 * 4))) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][0], part_T[1][r][0], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][1], part_T[1][r][1], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][2], part_T[1][r][2], sums_2[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            sums_2[r][c] = mfma_f32_16x16x4f32(part_C[1][c][3], part_T[1][r][3], sums_2[r][c]);
        }
    }
    settle_11();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i_2 = i_2_tile + wave / 2 * 64 + lane_again % 16 + r * 16;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            const i64 j_first = j_2_tile + wave % 2 * 64 + lane_again / 16 * 4 + c * 16;
            if (i_2 < M) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    const i64 j_2 = j_first + e;
                    if (j_2 < L) {
                        // kernel.py:27: D[i, j] *= beta
                        D[i_2 * L + j_2] *= beta;
                        float D_held_start = D[i_2 * L + j_2];
                        float D_held = D_held_start + sums_2[r][c][e];
                        D[i_2 * L + j_2] = D_held;
                    }
                }
            }
        }
    }
}

// a tile of 32 x 32 a block, slices of the sum, 2 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(4, 4))) void
two_mm_kernel_small_aligned(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T,
                            float *__restrict__ D_held_slices, i64 k_slice, i64 N, i64 M, i64 L, i64 k_slices,
                            float beta)
{
    __shared__ __attribute__((aligned(16))) float lds_T_2[2048];
    __shared__ __attribute__((aligned(16))) float lds_C_2[2048];
    int from_T_2[2];
    int from_C_2[2];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 32 x 32 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int k_from = block_y * k_slice;
    const int k_to = min_i64(k_from + k_slice, N);
    int i_2_number, j_2_number;
    tile_of((int)block_x, (int)((M + 31) / 32), (int)((L + 31) / 32), 4, i_2_number, j_2_number);
    const int i_2_tile = __builtin_amdgcn_readfirstlane(i_2_number * 32);
    const int j_2_tile = __builtin_amdgcn_readfirstlane(j_2_number * 32);
    f32x4 sums_3[1][1] = {};
    f32x4 next_T_2[2];
    f32x4 part_T_2[2][1];
    // T: of each tile a thread moves 2 pieces of 16 bytes. from_T_2 is where they are in memory, to_T_2 where
    // they go in LDS, start_T_2 where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_T_2 = thread / 16;
    const int k_T_2 = thread % 16 * 4;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_T_2[n] = (int)(((min_i64(i_2_tile + row_T_2 + n * 16, M - 1) - i_2_tile) * N + k_T_2) * 4);
    }
    const int to_T_2 = row_T_2 * 64 + (k_T_2 ^ (row_T_2 % 8 * 4));
    const int start_T_2 = wave / 2 * 1024 + lane % 16 * 64 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_C_2[2];
    f32x4 part_C_2[2][1];
    f32x2 turned_C_2[4];
    // C: of each tile a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time so that LDS
    // has neighbours along the sum. from_C_2 is where they are in memory, to_C_2 where they go in LDS,
    // start_C_2 where this lane's fragments begin there. Pieces of a row change places by its number (^), so
    // that the lanes of an access meet in no bank.
    const int row_C_2 = thread % 8 * 4;
    const int k_C_2 = thread / 8 * 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_C_2[n] =
                (int)(((k_C_2 + n) * L + min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4) - j_2_tile) * 4);
    }
    const int to_C_2 = row_C_2 * 64 + (k_C_2 ^ (((row_C_2 % 8) ^ (row_C_2 / 8 % 8)) * 4));
    const int start_C_2 = (wave % 2 * 16 + lane % 16) * 64
            + ((lane / 16 * 4)
               ^ ((((wave % 2 * 16 + lane % 16) % 8) ^ ((wave % 2 * 16 + lane % 16) / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = floordiv_i64(k_to - k_from + 63, 64);
    const i64 k_last = k_from + (steps - 1) * 64;
    const __amdgpu_buffer_rsrc_t window_T_2 = window(&T[i_2_tile * N + k_from]);
    const __amdgpu_buffer_rsrc_t window_C_2 = window(&C[k_from * L + j_2_tile]);
    const int step_C_2 = L * 256;
    if (k_last + 64 <= k_to && (L % 4 == 0 || j_2_tile + 32 <= L)) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4(window_C_2, from_C_2[n], (steps - 1) * step_C_2);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4(window_T_2, from_T_2[n], (steps - 1) * 256);
        }
    } else {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = first_f32x4(&T[min_i64(i_2_tile + row_T_2 + n * 16, M - 1) * N + k_last + k_T_2],
                                      N - (k_last + k_T_2));
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = first_f32x4(&C[(k_last + k_C_2 + n) * L
                                         + min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4)],
                                      k_last + k_C_2 + n < N
                                      ? L - min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4) : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        *(f32x4 *)&lds_T_2[to_T_2 + n * 16 * 64] = next_T_2[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 2
        for (int q = 0; q < 2; ++q) {
            turned_C_2[e][q] = next_C_2[q][e];
        }
        *(f32x2 *)&lds_C_2[(to_C_2 ^ (e * 4)) + e * 64] = turned_C_2[e];
    }
    if (1 < steps) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4(window_C_2, from_C_2[n], 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4(window_T_2, from_T_2[n], 0);
        }
    }
    lds_barrier();
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[0][n] = *(const f32x4 *)&lds_T_2[start_T_2 + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (n * 2 * 4)) + n * 16 * 64];
    }
    // kernel.py:28: for k in range(N):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 16) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (16 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[0][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 32) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (32 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 48) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (48 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_C_2[e][q] = next_C_2[q][e];
            }
            *(f32x2 *)&lds_C_2[(to_C_2 ^ (e * 4)) + e * 64] = turned_C_2[e];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f32x4 *)&lds_T_2[to_T_2 + n * 16 * 64] = next_T_2[n];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4(window_C_2, from_C_2[n], next * step_C_2);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4(window_T_2, from_T_2[n], next * 256);
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[0][n] = *(const f32x4 *)&lds_T_2[start_T_2 + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (n * 2 * 4)) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
            }
        }
        // The order of all that in the machine code: accesses spread out between matrix instructions.
        #pragma unroll 6
        for (int n = 0; n < 6; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 1, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
    }
    // The last tile: nothing follows it.
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 16) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (16 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[0][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 32) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (32 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 48) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (48 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
        }
    }
    settle_11();
    if (1 < k_slices) {
        // The sums of this slice, as the lanes have them: the next launch adds the slices up.
        f32x4 D_held_pieces[1];
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                if (i_2_tile + wave / 2 * 16 + r * 16 < M && j_2_tile + wave % 2 * 16 + c * 16 < L) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        D_held_pieces[0][e] = sums_3[r][c][e];
                    }
                    *(f32x4 *)&D_held_slices[((block_y * ((M + 15) / 16) + (i_2_tile + wave / 2 * 16) / 16
                                               + r) * ((L + 15) / 16) + (j_2_tile + wave % 2 * 16) / 16 + c)
                                             * 256 + lane * 4] = D_held_pieces[0];
                }
            }
        }
    } else {
        // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
        const int lane_again = lane_now();
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            const i64 i_2 = i_2_tile + wave / 2 * 16 + lane_again % 16 + r * 16;
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                const i64 j_first = j_2_tile + wave % 2 * 16 + lane_again / 16 * 4 + c * 16;
                if (i_2 < M) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        const i64 j_2 = j_first + e;
                        if (j_2 < L) {
                            // kernel.py:27: D[i, j] *= beta
                            D[i_2 * L + j_2] *= beta;
                            float D_held_start = D[i_2 * L + j_2];
                            float D_held = D_held_start + sums_3[r][c][e];
                            D[i_2 * L + j_2] = D_held;
                        }
                    }
                }
            }
        }
    }
}

// a tile of 32 x 32 a block, slices of the sum, 2 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(4, 4))) void
two_mm_kernel_small(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T,
                    float *__restrict__ D_held_slices, i64 k_slice, i64 N, i64 M, i64 L, i64 k_slices,
                    float beta)
{
    __shared__ __attribute__((aligned(16))) float lds_T_2[2048];
    __shared__ __attribute__((aligned(16))) float lds_C_2[2048];
    int from_T_2[2];
    int from_C_2[2];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 32 x 32 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int k_from = block_y * k_slice;
    const int k_to = min_i64(k_from + k_slice, N);
    int i_2_number, j_2_number;
    tile_of((int)block_x, (int)((M + 31) / 32), (int)((L + 31) / 32), 4, i_2_number, j_2_number);
    const int i_2_tile = __builtin_amdgcn_readfirstlane(i_2_number * 32);
    const int j_2_tile = __builtin_amdgcn_readfirstlane(j_2_number * 32);
    f32x4 sums_3[1][1] = {};
    f32x4 next_T_2[2];
    f32x4 part_T_2[2][1];
    // T: of each tile a thread moves 2 pieces of 16 bytes. from_T_2 is where they are in memory, to_T_2 where
    // they go in LDS, start_T_2 where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_T_2 = thread / 16;
    const int k_T_2 = thread % 16 * 4;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_T_2[n] = (int)(((min_i64(i_2_tile + row_T_2 + n * 16, M - 1) - i_2_tile) * N + k_T_2) * 4);
    }
    const int to_T_2 = row_T_2 * 64 + (k_T_2 ^ (row_T_2 % 8 * 4));
    const int start_T_2 = wave / 2 * 1024 + lane % 16 * 64 + ((lane / 16 * 4) ^ (lane % 16 % 8 * 4));
    f32x4 next_C_2[2];
    f32x4 part_C_2[2][1];
    f32x2 turned_C_2[4];
    // C: of each tile a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time so that LDS
    // has neighbours along the sum. from_C_2 is where they are in memory, to_C_2 where they go in LDS,
    // start_C_2 where this lane's fragments begin there. Pieces of a row change places by its number (^), so
    // that the lanes of an access meet in no bank.
    const int row_C_2 = thread % 8 * 4;
    const int k_C_2 = thread / 8 * 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_C_2[n] =
                (int)(((k_C_2 + n) * L + min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4) - j_2_tile) * 4);
    }
    const int to_C_2 = row_C_2 * 64 + (k_C_2 ^ (((row_C_2 % 8) ^ (row_C_2 / 8 % 8)) * 4));
    const int start_C_2 = (wave % 2 * 16 + lane % 16) * 64
            + ((lane / 16 * 4)
               ^ ((((wave % 2 * 16 + lane % 16) % 8) ^ ((wave % 2 * 16 + lane % 16) / 8 % 8)) * 4));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = floordiv_i64(k_to - k_from + 63, 64);
    const i64 k_last = k_from + (steps - 1) * 64;
    const char *const window_T_2 = (const char *)&T[i_2_tile * N + k_from];
    const char *const window_C_2 = (const char *)&C[k_from * L + j_2_tile];
    const i64 step_C_2 = (i64)(int)(L * 256);
    if (k_last + 64 <= k_to && (L % 4 == 0 || j_2_tile + 32 <= L)) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4_any(window_C_2, from_C_2[n], (steps - 1) * step_C_2);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4_any(window_T_2, from_T_2[n], (steps - 1) * 256);
        }
    } else {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = first_f32x4_any(&T[min_i64(i_2_tile + row_T_2 + n * 16, M - 1) * N + k_last
                                             + k_T_2], N - (k_last + k_T_2));
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = first_f32x4_any(&C[(k_last + k_C_2 + n) * L
                                             + min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4)],
                                          k_last + k_C_2 + n < N
                                          ? L - min_i64(j_2_tile + row_C_2, (L + 3) / 4 * 4 - 4) : 0);
        }
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        *(f32x4 *)&lds_T_2[to_T_2 + n * 16 * 64] = next_T_2[n];
    }
    #pragma unroll 4
    for (int e = 0; e < 4; ++e) {
        #pragma unroll 2
        for (int q = 0; q < 2; ++q) {
            turned_C_2[e][q] = next_C_2[q][e];
        }
        *(f32x2 *)&lds_C_2[(to_C_2 ^ (e * 4)) + e * 64] = turned_C_2[e];
    }
    if (1 < steps) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4_any(window_C_2, from_C_2[n], 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4_any(window_T_2, from_T_2[n], 0);
        }
    }
    lds_barrier();
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[0][n] = *(const f32x4 *)&lds_T_2[start_T_2 + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (n * 2 * 4)) + n * 16 * 64];
    }
    // kernel.py:28: for k in range(N):
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 16) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (16 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[0][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 32) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (32 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 48) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (48 ^ (n * 2 * 4))) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
            }
        }
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_C_2[e][q] = next_C_2[q][e];
            }
            *(f32x2 *)&lds_C_2[(to_C_2 ^ (e * 4)) + e * 64] = turned_C_2[e];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f32x4 *)&lds_T_2[to_T_2 + n * 16 * 64] = next_T_2[n];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_C_2[n] = fetch_f32x4_any(window_C_2, from_C_2[n], next * step_C_2);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_T_2[n] = fetch_f32x4_any(window_T_2, from_T_2[n], next * 256);
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
            }
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
            }
        }
        lds_barrier();  // the next tile is in LDS
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_T_2[0][n] = *(const f32x4 *)&lds_T_2[start_T_2 + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int n = 0; n < 1; ++n) {
            part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (n * 2 * 4)) + n * 16 * 64];
        }
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
            }
        }
        // The order of all that in the machine code: accesses spread out between matrix instructions.
        #pragma unroll 6
        for (int n = 0; n < 6; ++n) {
            __builtin_amdgcn_sched_group_barrier(matrix, 1, 0);
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_write, 1, 0);
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            __builtin_amdgcn_sched_group_barrier(global_read, 1, 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            __builtin_amdgcn_sched_group_barrier(lds_read, 1, 0);
        }
    }
    // The last tile: nothing follows it.
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 16) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (16 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[0][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 32) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[0][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (32 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][0], part_T_2[0][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][1], part_T_2[0][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][2], part_T_2[0][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[0][c][3], part_T_2[0][r][3], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_T_2[1][n] = *(const f32x4 *)&lds_T_2[(start_T_2 ^ 48) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int n = 0; n < 1; ++n) {
        part_C_2[1][n] = *(const f32x4 *)&lds_C_2[(start_C_2 ^ (48 ^ (n * 2 * 4))) + n * 16 * 64];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][0], part_T_2[1][r][0], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][1], part_T_2[1][r][1], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][2], part_T_2[1][r][2], sums_3[r][c]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            sums_3[r][c] = mfma_f32_16x16x4f32(part_C_2[1][c][3], part_T_2[1][r][3], sums_3[r][c]);
        }
    }
    settle_11();
    if (1 < k_slices) {
        // The sums of this slice, as the lanes have them: the next launch adds the slices up.
        f32x4 D_held_pieces[1];
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                if (i_2_tile + wave / 2 * 16 + r * 16 < M && j_2_tile + wave % 2 * 16 + c * 16 < L) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        D_held_pieces[0][e] = sums_3[r][c][e];
                    }
                    *(f32x4 *)&D_held_slices[((block_y * ((M + 15) / 16) + (i_2_tile + wave / 2 * 16) / 16
                                               + r) * ((L + 15) / 16) + (j_2_tile + wave % 2 * 16) / 16 + c)
                                             * 256 + lane * 4] = D_held_pieces[0];
                }
            }
        }
    } else {
        // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
        const int lane_again = lane_now();
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int r = 0; r < 1; ++r) {
            const i64 i_2 = i_2_tile + wave / 2 * 16 + lane_again % 16 + r * 16;
            #pragma clang loop unroll(disable) vectorize(disable)
            for (int c = 0; c < 1; ++c) {
                const i64 j_first = j_2_tile + wave % 2 * 16 + lane_again / 16 * 4 + c * 16;
                if (i_2 < M) {
                    #pragma unroll 4
                    for (int e = 0; e < 4; ++e) {
                        const i64 j_2 = j_first + e;
                        if (j_2 < L) {
                            // kernel.py:27: D[i, j] *= beta
                            D[i_2 * L + j_2] *= beta;
                            float D_held_start = D[i_2 * L + j_2];
                            float D_held = D_held_start + sums_3[r][c][e];
                            D[i_2 * L + j_2] = D_held;
                        }
                    }
                }
            }
        }
    }
}

// adds up the slices of the sum
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_finish(float *__restrict__ D, const float *__restrict__ D_held_slices, i64 M, i64 L, i64 k_slices,
              float beta)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which 32 x 32 elements its block adds up.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int i_2_tile = __builtin_amdgcn_readfirstlane(block_y * 32);
    const int j_2_tile = __builtin_amdgcn_readfirstlane(block_x * 32);
    f32x4 total[1][1] = {};
    f32x4 D_held_pieces[1];
    if (i_2_tile + wave / 2 * 16 < M && j_2_tile + wave % 2 * 16 < L) {  // a fragment of the result
        // kernel.py:28: for k in range(N):
        #pragma unroll 4
        for (int slice = 0; slice < k_slices; ++slice) {  // all slices, always in this order
            D_held_pieces[0] = *(const f32x4 *)&D_held_slices[((slice * ((M + 15) / 16) + i_2_tile / 16 + wave
                                                                / 2) * ((L + 15) / 16) + j_2_tile / 16 + wave
                                                               % 2) * 256 + lane * 4];
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                total[0][0][e] = total[0][0][e] + D_held_pieces[0][e];
            }
        }
    }
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma clang loop unroll(disable) vectorize(disable)
    for (int r = 0; r < 1; ++r) {
        const i64 i_2 = i_2_tile + wave / 2 * 16 + lane_again % 16 + r * 16;
        #pragma clang loop unroll(disable) vectorize(disable)
        for (int c = 0; c < 1; ++c) {
            const i64 j_first = j_2_tile + wave % 2 * 16 + lane_again / 16 * 4 + c * 16;
            if (i_2 < M) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    const i64 j_2 = j_first + e;
                    if (j_2 < L) {
                        // kernel.py:27: D[i, j] *= beta
                        D[i_2 * L + j_2] *= beta;
                        // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
                        float D_held_start = D[i_2 * L + j_2];
                        float D_held = D_held_start + total[r][c][e];
                        D[i_2 * L + j_2] = D_held;
                    }
                }
            }
        }
    }
}

// a thread for each element, of any size
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel_any_size_2(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T,
                         i64 M, i64 L, float beta, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:25: for i in range(M):
    for (i64 i = block_y * 4 + thread_y; i < M; i += blocks_y * 4) {  // 4 i a block
        // kernel.py:26: for j in range(L):
        for (i64 j = block_x * 64 + thread_x; j < L; j += blocks_x * 64) {  // 64 j a block
            // kernel.py:27: D[i, j] *= beta
            D[i * L + j] *= beta;
            // kernel.py:29: D[i, j] += T[i, k] * C[k, j]
            float D_held = D[i * L + j];
            // kernel.py:28: for k in range(N):
            for (i64 k = 0; k < N; ++k) {
                D_held = __builtin_fmaf(T[i * N + k], C[k * L + j], D_held);
            }
            D[i * L + j] = D_held;
        }
    }
}

#ifndef __HIPCC_RTC__
static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Bytes of workspace that two_mm needs for these sizes; its parts start at multiples of 256.
extern "C" size_t two_mm_workspace(i64 M, i64 K, i64 N, i64 L)
{
    return (M * N * 4 + 255) / 256 * 256
            + (0 < N && 4 <= L && N < 2097152 && L < 4194304 && (M + 127) / 128 * ((L + 127) / 128) <= 8388608
               && !((M + 127) / 128 * ((L + 127) / 128) >= 304) ? (1245184 * 4 + 255) / 256 * 256 : 0);
}

// Launches two_mm on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t two_mm(float alpha, float beta, const float *A, const float *B, const float *C,
                             float *D, i64 M, i64 K, i64 N, i64 L, void *workspace, hipStream_t stream)
{
    if (M < 0 || K < 0 || N < 0 || L < 0)
        return hipErrorInvalidValue;
    const i64 A_bytes = M * K * 4;
    const i64 D_bytes = M * L * 4;
    const i64 B_bytes = K * N * 4;
    const i64 C_bytes = N * L * 4;
    if (overlap(A, A_bytes, D, D_bytes) || overlap(B, B_bytes, D, D_bytes) || overlap(C, C_bytes, D, D_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && two_mm_workspace(M, K, N, L) > 0)
        return hipErrorInvalidValue;
    float *T = (float *)workspace;
    float *D_held_slices = (float *)((char *)T + (M * N * 4 + 255) / 256 * 256);
    {
        const i64 grid_x = min_i64(max_i64(M * N / 4096, min_i64((M * N + 255) / 256, 16)), 8388608);
        const i64 grid_y = M * N / 4096 / 8388608 + 1;
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(two_mm_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0,
                               stream, T, M, N);
    }
    if (0 < K && 4 <= N && K < 1073741824 && N < 8388608 && (M + 127) / 128 * ((N + 127) / 128) <= 8388608) {
        if ((size_t)A % 16 == 0 && (size_t)B % 16 == 0 && K % 4 == 0 && N % 4 == 0 && M * K * 4 < 2147483648
            && N * K * 4 < 2147483648) {
            if (const i64 grid_x = (M + 127) / 128 * ((N + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(two_mm_kernel_aligned, dim3((unsigned int)grid_x), dim3(256), 0, stream, A,
                                   B, T, M, N, K, alpha);
        } else {
            if (const i64 grid_x = (M + 127) / 128 * ((N + 127) / 128); grid_x > 0)
                hipLaunchKernelGGL(two_mm_kernel_2, dim3((unsigned int)grid_x), dim3(256), 0, stream, A, B, T,
                                   M, N, K, alpha);
        }
    } else {
        {
            const i64 grid_x = min_i64((N + 63) / 64, 1048576);
            const i64 grid_y = min_i64((M + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(two_mm_kernel_any_size, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(64, 4), 0, stream, A, B, T, M, N, K, alpha);
        }
    }
    if (0 < N && 4 <= L && N < 2097152 && L < 4194304 && (M + 127) / 128 * ((L + 127) / 128) <= 8388608) {
        if ((M + 127) / 128 * ((L + 127) / 128) >= 304) {
            if ((size_t)T % 16 == 0 && (size_t)C % 16 == 0 && N % 4 == 0 && L % 4 == 0
                && L * N * 4 < 2147483648) {
                if (const i64 grid_x = (M + 127) / 128 * ((L + 127) / 128); grid_x > 0)
                    hipLaunchKernelGGL(two_mm_kernel_aligned_2, dim3((unsigned int)grid_x), dim3(256), 0,
                                       stream, C, D, T, M, L, N, beta);
            } else {
                if (const i64 grid_x = (M + 127) / 128 * ((L + 127) / 128); grid_x > 0)
                    hipLaunchKernelGGL(two_mm_kernel_3, dim3((unsigned int)grid_x), dim3(256), 0, stream, C,
                                       D, T, M, L, N, beta);
            }
        } else {
            // slices that the sum may have, so that no compute unit is left idle
            const i64 k_share = N < 512 ? 1 : max_i64(1216 / max_i64((M + 31) / 32 * ((L + 31) / 32), 1), 1);
            // what of k each slice takes
            const i64 k_slice = max_i64(((N + 63) / 64 + k_share - 1) / k_share, 1) * 64;
            const i64 k_slices = (N + k_slice - 1) / k_slice;
            if ((size_t)T % 16 == 0 && (size_t)C % 16 == 0 && N % 4 == 0 && L % 4 == 0
                && L * N * 4 < 2147483648) {
                {
                    const i64 grid_x = (M + 31) / 32 * ((L + 31) / 32);
                    const i64 grid_y = k_slices;
                    if (grid_x > 0 && grid_y > 0)
                        hipLaunchKernelGGL(two_mm_kernel_small_aligned,
                                           dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0,
                                           stream, C, D, T, D_held_slices, k_slice, N, M, L, k_slices, beta);
                }
            } else {
                {
                    const i64 grid_x = (M + 31) / 32 * ((L + 31) / 32);
                    const i64 grid_y = k_slices;
                    if (grid_x > 0 && grid_y > 0)
                        hipLaunchKernelGGL(two_mm_kernel_small,
                                           dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0,
                                           stream, C, D, T, D_held_slices, k_slice, N, M, L, k_slices, beta);
                }
            }
            if (1 < k_slices) {
                if (const i64 grid_x = (L + 31) / 32, grid_y = (M + 31) / 32; grid_x > 0 && grid_y > 0)
                    hipLaunchKernelGGL(two_mm_finish, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                       dim3(256), 0, stream, D, D_held_slices, M, L, k_slices, beta);
            }
        }
    } else {
        {
            const i64 grid_x = min_i64((L + 63) / 64, 1048576);
            const i64 grid_y = min_i64((M + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(two_mm_kernel_any_size_2, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(64, 4), 0, stream, C, D, T, M, L, beta, N);
        }
    }
    return hipGetLastError();
}
#endif
