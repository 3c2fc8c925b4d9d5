// Written by tl2hip from kernel.py for gfx942.
//
// Where each loop went:
//   i  grid x, tiles of 64           rows of a matrix product
//   j  grid x, tiles of 64, 2 waves  columns of a matrix product
//   k  tiles of 32, 2 stages         summed by mfma_f32_16x16x16f16

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x8_any __attribute__((ext_vector_type(8), aligned(2)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

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

// a tile of 64 x 64 a block, 1 x 2 waves
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128), amdgpu_waves_per_eu(4, 4))) void
matmul_kernel_kernel_aligned(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B,
                             float *__restrict__ C)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_A[2048];
    __shared__ __attribute__((aligned(16))) _Float16 lds_B[2048];
    int from_A[2];
    int from_B[2];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 64 x 64 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)16, (int)16, 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 64);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 64);
    f32x4 sums[4][2] = {};
    f16x8 next_A[2];
    f16x8 part_A[4];
    // A: of each tile a thread moves 2 pieces of 16 bytes. from_A is where they are in memory, to_A where
    // they go in LDS, start_A where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_A = thread / 4;
    const int k_A = thread % 4 * 8;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_A[n] = (int)(((i_tile + row_A + n * 32 - i_tile) * 1024 + k_A) * 2);
    }
    const int to_A = row_A * 32 + (k_A ^ (row_A / 2 % 4 * 8));
    const int start_A = lane % 16 * 32 + ((lane / 16 * 8) ^ (lane % 16 / 2 % 4 * 8));
    f16x8 next_B[2];
    f16x8 part_B[2];
    f16x2 turned_B[8];
    // B: of each tile a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time so that LDS
    // has neighbours along the sum. from_B is where they are in memory, to_B where they go in LDS, start_B
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_B = thread % 8 * 8;
    const int k_B = thread / 8 * 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_B[n] = (int)(((k_B + n) * 1024 + j_tile + row_B - j_tile) * 2);
    }
    const int to_B = row_B * 32 + (k_B ^ (((row_B / 2 % 4) ^ (row_B / 16 % 4)) * 8));
    const int start_B = (wave % 2 * 32 + lane % 16) * 32
            + ((lane / 16 * 8)
               ^ ((((wave % 2 * 32 + lane % 16) / 2 % 4) ^ ((wave % 2 * 32 + lane % 16) / 16 % 4)) * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = 32;
    const i64 k_last = (steps - 1) * 32;
    const __amdgpu_buffer_rsrc_t window_A = window(&A[i_tile * 1024]);
    const __amdgpu_buffer_rsrc_t window_B = window(&B[j_tile]);
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_B[n] = fetch_f16x8(window_B, from_B[n], (steps - 1) * 65536);
    }
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_A[n] = fetch_f16x8(window_A, from_A[n], (steps - 1) * 64);
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        *(f16x8 *)&lds_A[to_A + n * 32 * 32] = next_A[n];
    }
    #pragma unroll 8
    for (int e = 0; e < 8; ++e) {
        #pragma unroll 2
        for (int q = 0; q < 2; ++q) {
            turned_B[e][q] = next_B[q][e];
        }
        *(f16x2 *)&lds_B[(to_B ^ (e / 2 * 8)) + e * 32] = turned_B[e];
    }
    if (1 < steps) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_B[n] = fetch_f16x8(window_B, from_B[n], 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_A[n] = fetch_f16x8(window_A, from_A[n], 0);
        }
    }
    lds_barrier();
    // kernel.py:8: i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 32];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_B[n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 8)) + n * 16 * 32];
        }
        __builtin_amdgcn_sched_barrier(0);
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                // kernel.py:12: c_tile = tl.dot(a_tile, b_tile)
                sums[r][c] = mfma_f32_16x16x16f16(part_B[c].lo, part_A[r].lo, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[c].hi, part_A[r].hi, sums[r][c]);
            }
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_B[e][q] = next_B[q][e];
            }
            *(f16x2 *)&lds_B[(to_B ^ (e / 2 * 8)) + e * 32] = turned_B[e];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_A[to_A + n * 32 * 32] = next_A[n];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_B[n] = fetch_f16x8(window_B, from_B[n], next * 65536);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_A[n] = fetch_f16x8(window_A, from_A[n], next * 64);
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_sched_barrier(0);
        lds_barrier();  // the next tile is in LDS
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 32];
    }
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        part_B[n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 8)) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[c].lo, part_A[r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[c].hi, part_A[r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 j_first = j_tile + wave % 2 * 32 + lane_again / 16 * 4 + c * 16;
            f32x4 C_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                float c_tile = sums[r][c][e];
                // kernel.py:13: C[i, j].store(c_tile)
                C_vector[e] = c_tile;
            }
            *(f32x4_any *)&C[i * 1024 + j_first] = C_vector;
        }
    }
}

// a tile of 64 x 64 a block, 1 x 2 waves, at any alignment
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128), amdgpu_waves_per_eu(4, 4))) void
matmul_kernel_kernel(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B, float *__restrict__ C)
{
    __shared__ __attribute__((aligned(16))) _Float16 lds_A[2048];
    __shared__ __attribute__((aligned(16))) _Float16 lds_B[2048];
    int from_A[2];
    int from_B[2];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // Which thread this is, and which tile of 64 x 64 its block computes.
    const int thread = thread_x;
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    int i_number, j_number;
    tile_of((int)block_x, (int)16, (int)16, 4, i_number, j_number);
    const int i_tile = __builtin_amdgcn_readfirstlane(i_number * 64);
    const int j_tile = __builtin_amdgcn_readfirstlane(j_number * 64);
    f32x4 sums[4][2] = {};
    f16x8 next_A[2];
    f16x8 part_A[4];
    // A: of each tile a thread moves 2 pieces of 16 bytes. from_A is where they are in memory, to_A where
    // they go in LDS, start_A where this lane's fragments begin there. Pieces of a row change places by its
    // number (^), so that the lanes of an access meet in no bank.
    const int row_A = thread / 4;
    const int k_A = thread % 4 * 8;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_A[n] = (int)(((i_tile + row_A + n * 32 - i_tile) * 1024 + k_A) * 2);
    }
    const int to_A = row_A * 32 + (k_A ^ (row_A / 2 % 4 * 8));
    const int start_A = lane % 16 * 32 + ((lane / 16 * 8) ^ (lane % 16 / 2 % 4 * 8));
    f16x8 next_B[2];
    f16x8 part_B[2];
    f16x2 turned_B[8];
    // B: of each tile a thread moves 2 pieces of 16 bytes, of which 2 rows are turned at a time so that LDS
    // has neighbours along the sum. from_B is where they are in memory, to_B where they go in LDS, start_B
    // where this lane's fragments begin there. Pieces of a row change places by its number (^), so that the
    // lanes of an access meet in no bank.
    const int row_B = thread % 8 * 8;
    const int k_B = thread / 8 * 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        from_B[n] = (int)(((k_B + n) * 1024 + j_tile + row_B - j_tile) * 2);
    }
    const int to_B = row_B * 32 + (k_B ^ (((row_B / 2 % 4) ^ (row_B / 16 % 4)) * 8));
    const int start_B = (wave % 2 * 32 + lane % 16) * 32
            + ((lane / 16 * 8)
               ^ ((((wave % 2 * 32 + lane % 16) / 2 % 4) ^ ((wave % 2 * 32 + lane % 16) / 16 % 4)) * 8));
    // The last tile of the sum goes first: what lies past its end counts as 0. All other tiles are whole, so
    // that the loop has nothing to test.
    const int steps = 32;
    const i64 k_last = (steps - 1) * 32;
    const char *const window_A = (const char *)&A[i_tile * 1024];
    const char *const window_B = (const char *)&B[j_tile];
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_B[n] = fetch_f16x8_any(window_B, from_B[n], (steps - 1) * 65536);
    }
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        next_A[n] = fetch_f16x8_any(window_A, from_A[n], (steps - 1) * 64);
    }
    __builtin_amdgcn_sched_barrier(0);
    const int last = steps - 2;
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        *(f16x8 *)&lds_A[to_A + n * 32 * 32] = next_A[n];
    }
    #pragma unroll 8
    for (int e = 0; e < 8; ++e) {
        #pragma unroll 2
        for (int q = 0; q < 2; ++q) {
            turned_B[e][q] = next_B[q][e];
        }
        *(f16x2 *)&lds_B[(to_B ^ (e / 2 * 8)) + e * 32] = turned_B[e];
    }
    if (1 < steps) {
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_B[n] = fetch_f16x8_any(window_B, from_B[n], 0);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_A[n] = fetch_f16x8_any(window_A, from_A[n], 0);
        }
    }
    lds_barrier();
    // kernel.py:8: i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    // the tile in LDS is multiplied, the next one follows it there
    for (int step = 1; step < steps; ++step) {
        const int next = step < last ? step : last;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            part_A[n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 32];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            part_B[n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 8)) + n * 16 * 32];
        }
        __builtin_amdgcn_sched_barrier(0);
        lds_barrier();  // every wave has its fragments
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                // kernel.py:12: c_tile = tl.dot(a_tile, b_tile)
                sums[r][c] = mfma_f32_16x16x16f16(part_B[c].lo, part_A[r].lo, sums[r][c]);
            }
        }
        #pragma unroll 4
        for (int r = 0; r < 4; ++r) {
            #pragma unroll 2
            for (int c = 0; c < 2; ++c) {
                sums[r][c] = mfma_f32_16x16x16f16(part_B[c].hi, part_A[r].hi, sums[r][c]);
            }
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 8
        for (int e = 0; e < 8; ++e) {
            #pragma unroll 2
            for (int q = 0; q < 2; ++q) {
                turned_B[e][q] = next_B[q][e];
            }
            *(f16x2 *)&lds_B[(to_B ^ (e / 2 * 8)) + e * 32] = turned_B[e];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            *(f16x8 *)&lds_A[to_A + n * 32 * 32] = next_A[n];
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_B[n] = fetch_f16x8_any(window_B, from_B[n], next * 65536);
        }
        #pragma unroll 2
        for (int n = 0; n < 2; ++n) {
            next_A[n] = fetch_f16x8_any(window_A, from_A[n], next * 64);
        }
        __builtin_amdgcn_sched_barrier(0);
        __builtin_amdgcn_sched_barrier(0);
        lds_barrier();  // the next tile is in LDS
    }
    // The last tile: nothing follows it.
    #pragma unroll 4
    for (int n = 0; n < 4; ++n) {
        part_A[n] = *(const f16x8 *)&lds_A[start_A + n * 16 * 32];
    }
    #pragma unroll 2
    for (int n = 0; n < 2; ++n) {
        part_B[n] = *(const f16x8 *)&lds_B[(start_B ^ (n * 8)) + n * 16 * 32];
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[c].lo, part_A[r].lo, sums[r][c]);
        }
    }
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            sums[r][c] = mfma_f32_16x16x16f16(part_B[c].hi, part_A[r].hi, sums[r][c]);
        }
    }
    settle_7();
    // What is done with the sums: a lane has 4 neighbouring j of one i in each of its fragments.
    const int lane_again = lane_now();
    #pragma unroll 4
    for (int r = 0; r < 4; ++r) {
        const i64 i = i_tile + lane_again % 16 + r * 16;
        #pragma unroll 2
        for (int c = 0; c < 2; ++c) {
            const i64 j_first = j_tile + wave % 2 * 32 + lane_again / 16 * 4 + c * 16;
            f32x4 C_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                float c_tile = sums[r][c][e];
                // kernel.py:13: C[i, j].store(c_tile)
                C_vector[e] = c_tile;
            }
            *(f32x4_any *)&C[i * 1024 + j_first] = C_vector;
        }
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches matmul_kernel on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t matmul_kernel(const _Float16 *A, const _Float16 *B, float *C, hipStream_t stream)
{
    const i64 A_bytes = 1024 * 1024 * 2;
    const i64 C_bytes = 1024 * 1024 * 4;
    const i64 B_bytes = 1024 * 1024 * 2;
    if (overlap(A, A_bytes, C, C_bytes) || overlap(B, B_bytes, C, C_bytes))
        return hipErrorInvalidValue;
    if ((size_t)A % 16 == 0 && (size_t)B % 16 == 0) {
        hipLaunchKernelGGL(matmul_kernel_kernel_aligned, dim3(256), dim3(128), 0, stream, A, B, C);
    } else {
        hipLaunchKernelGGL(matmul_kernel_kernel, dim3(256), dim3(128), 0, stream, A, B, C);
    }
    return hipGetLastError();
}
#endif
