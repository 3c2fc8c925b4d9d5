// Written by tl2hip from kernel.py for gfx942.
//
// B = A.T.
//
// Where each loop went:
//   i  grid y, tiles of 64, 4 threads   parallel
//   j  grid x, tiles of 64, 64 threads  parallel; contiguous accesses run along it

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// a thread for each i, j
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
transpose_kernel(const float *__restrict__ A, float *__restrict__ B, i64 A_0, i64 A_1, i64 B_1)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:13: for i in range(rows):
    for (i64 i_tile = block_y * 64; i_tile < A_0; i_tile += blocks_y * 64) {  // tiles of 64 i
        for (i64 i = i_tile + thread_y; i < min_i64(i_tile + 64, A_0); i += 4) {
            // kernel.py:14: for j in range(columns):
            for (i64 j = block_x * 64 + thread_x; j < A_1; j += blocks_x * 64) {  // 64 j a block
                // kernel.py:15: B[j, i] = A[i, j]
                B[j * B_1 + i] = A[i * A_1 + j];
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
    {
        const i64 grid_x = min_i64((A_1 + 63) / 64, 1048576);
        const i64 grid_y = min_i64((A_0 + 63) / 64, 65535);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(transpose_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                               dim3(64, 4), 0, stream, A, B, A_0, A_1, B_1);
    }
    return hipGetLastError();
}
#endif
