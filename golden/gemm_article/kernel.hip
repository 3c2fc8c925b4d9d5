// Written by tl2hip from kernel.py for gfx942.
//
// Where each loop went:
//   i  grid y, tiles of 64, 4 threads   parallel
//   j  grid x, tiles of 64, 64 threads  parallel; contiguous accesses run along it
//   k  serial in each thread            a reduction; the axes around it fill the machine

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// a thread for each i, j
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
matmul_kernel_kernel(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B, float *__restrict__ C)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:8: i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    for (i64 i_tile = block_y * 64; i_tile < 1024; i_tile += blocks_y * 64) {  // tiles of 64 i
        for (i64 i = i_tile + thread_y; i < min_i64(i_tile + 64, 1024); i += 4) {
            for (i64 j = block_x * 64 + thread_x; j < 1024; j += blocks_x * 64) {  // 64 j a block
                // kernel.py:12: c_tile = tl.dot(a_tile, b_tile)
                float c_tile = 0.0f;
                for (i64 k_tile = 0; k_tile < 1024; k_tile += 32) {  // tiles of 32 k
                    for (i64 k = k_tile; k < min_i64(k_tile + 32, 1024); ++k) {
                        c_tile = __builtin_fmaf((float)A[i * 1024 + k], (float)B[k * 1024 + j], c_tile);
                    }
                }
                // kernel.py:13: C[i, j].store(c_tile)
                C[i * 1024 + j] = c_tile;
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

// Launches matmul_kernel on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t matmul_kernel(const _Float16 *A, const _Float16 *B, float *C, hipStream_t stream)
{
    const i64 A_bytes = 1024 * 1024 * 2;
    const i64 C_bytes = 1024 * 1024 * 4;
    const i64 B_bytes = 1024 * 1024 * 2;
    if (overlap(A, A_bytes, C, C_bytes) || overlap(B, B_bytes, C, C_bytes))
        return hipErrorInvalidValue;
    hipLaunchKernelGGL(matmul_kernel_kernel, dim3(16, 16), dim3(64, 4), 0, stream, A, B, C);
    return hipGetLastError();
}
#endif
