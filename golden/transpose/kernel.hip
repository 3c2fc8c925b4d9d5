// Written by tl2hip from kernel.py for gfx942.
//
// B = A.T.
//
// Where each loop went:
//   i  grid x, tiles of 64  parallel; stores run along it
//   j  grid x, tiles of 64  parallel; loads run along it

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// tiles of 64 x 64, turned over in LDS
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
transpose_kernel(const float *__restrict__ A, float *__restrict__ B, i64 A_0, i64 A_1, i64 B_1)
{
    __shared__ __attribute__((aligned(16))) float A_tile[4096];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    const i64 i_tiles = (A_0 + 63) / 64;
    const i64 j_tiles = (A_1 + 63) / 64;
    for (i64 tile = block_x; tile < i_tiles * j_tiles; tile += blocks_x) {  // one tile a block
        // kernel.py:13: for i in range(rows):
        const i64 i_tile = tile / j_tiles * 64;
        // kernel.py:14: for j in range(columns):
        const i64 j_tile = tile % j_tiles * 64;
        const i64 i_first = i_tile + thread_x / 16 * 4;
        const i64 j_first = j_tile + thread_x % 16 * 4;
        if (i_first + 4 <= A_0 && j_first + 4 <= A_1) {  // a whole square of this thread's own
            f32x4 A_rows[4];
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {  // rows, all under way together
                A_rows[r] = __builtin_nontemporal_load((const f32x4_any *)&A[(i_first + r) * A_1 + j_first]);
            }
            #pragma unroll 4
            for (int c = 0; c < 4; ++c) {  // turned over: columns to rows of LDS
                f32x4 A_column;
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    A_column[e] = A_rows[e][c];
                }
                *(f32x4 *)&A_tile[(thread_x % 16 * 4 + c) * 64 + ((thread_x / 16) ^ (thread_x % 16 % 8))
                                  * 4] = A_column;
            }
        }
        __syncthreads();  // the tile is whole
        const i64 i_out = i_tile + thread_x % 16 * 4;
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {  // rows of the result
            const i64 row = thread_x / 16 + n * 16;
            const i64 j_out = j_tile + row;
            if (i_out < A_0 / 4 * 4 && j_out < A_1 / 4 * 4) {
                f32x4 A_piece = *(const f32x4 *)&A_tile[row * 64 + ((thread_x % 16) ^ (row / 4 % 8)) * 4];
                f32x4 B_vector;
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    // kernel.py:15: B[j, i] = A[i, j]
                    B_vector[e] = A_piece[e];
                }
                __builtin_nontemporal_store(B_vector, (f32x4_any *)&B[j_out * B_1 + i_out]);
            }
        }
        if (A_1 / 4 * 4 < j_tile + 64) {  // the last few j
            for (i64 i = i_tile + thread_x; i < min_i64(i_tile + 64, A_0); i += 256) {
                #pragma clang loop unroll(disable) vectorize(disable)
                for (i64 j = A_1 / 4 * 4; j < A_1; ++j) {
                    B[j * B_1 + i] = A[i * A_1 + j];
                }
            }
        }
        if (A_0 / 4 * 4 < i_tile + 64) {  // the last few i
            for (i64 j = j_tile + thread_x; j < min_i64(j_tile + 64, A_1 / 4 * 4); j += 256) {
                #pragma clang loop unroll(disable) vectorize(disable)
                for (i64 i = A_0 / 4 * 4; i < A_0; ++i) {
                    B[j * B_1 + i] = A[i * A_1 + j];
                }
            }
        }
        __syncthreads();  // the tile is filled again
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches transpose on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t transpose(const float *A, float *B, i64 A_0, i64 A_1, i64 B_0, i64 B_1,
                                hipStream_t stream)
{
    if (A_0 < 0 || A_1 < 0 || B_0 < 0 || B_1 < 0)
        return hipErrorInvalidValue;
    // kernel.py:12: assert B.shape == (columns, rows)
    if (!(B_0 == A_1 && B_1 == A_0))
        return hipErrorInvalidValue;
    const i64 A_bytes = A_0 * A_1 * 4;
    const i64 B_bytes = B_0 * B_1 * 4;
    if (overlap(A, A_bytes, B, B_bytes))
        return hipErrorInvalidValue;
    if (const i64 grid_x = min_i64((A_0 + 63) / 64 * ((A_1 + 63) / 64), 1048576); grid_x > 0)
        hipLaunchKernelGGL(transpose_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, A, B, A_0, A_1,
                           B_1);
    return hipGetLastError();
}
#endif
