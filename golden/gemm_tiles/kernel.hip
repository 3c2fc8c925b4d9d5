// Written by tl2hip from kernel.py for gfx942.
//
// C = A @ B, a tile of C at a time.
//
// Where each loop went:
//   i  grid y, tiles of 128, 4 threads   parallel
//   j  grid x, tiles of 128, 64 threads  parallel; contiguous accesses run along it
//   k  serial in each thread             a reduction; the axes around it fill the machine

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// a thread for each i, j
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemm_kernel(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B, float *__restrict__ C, i64 M,
            i64 N, i64 K)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:11: for i in tile.range(M, 128):
    for (i64 i_tile = block_y * 128; i_tile < M; i_tile += blocks_y * 128) {  // tiles of 128 i
        for (i64 i = i_tile + thread_y; i < min_i64(i_tile + 128, M); i += 4) {
            // kernel.py:12: for j in tile.range(N, 128):
            for (i64 j_tile = block_x * 128; j_tile < N; j_tile += blocks_x * 128) {  // tiles of 128 j
                for (i64 j = j_tile + thread_x; j < min_i64(j_tile + 128, N); j += 64) {
                    // kernel.py:13: acc = tile.zeros(i, j, dtype=f32)
                    float acc = 0.0f;
                    // kernel.py:14: for k in tile.range(K, 64):
                    for (i64 k_tile = 0; k_tile < K; k_tile += 64) {  // tiles of 64 k
                        for (i64 k = k_tile; k < min_i64(k_tile + 64, K); ++k) {
                            // kernel.py:15: acc += tile.dot(A[i, k], B[k, j])
                            acc = __builtin_fmaf((float)A[i * K + k], (float)B[k * N + j], acc);
                        }
                    }
                    // kernel.py:16: C[i, j] = acc
                    C[i * N + j] = acc;
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

// Launches gemm on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t gemm(const _Float16 *A, const _Float16 *B, float *C, i64 M, i64 K, i64 N,
                           hipStream_t stream)
{
    if (M < 0 || K < 0 || N < 0)
        return hipErrorInvalidValue;
    const i64 A_bytes = M * K * 2;
    const i64 C_bytes = M * N * 4;
    const i64 B_bytes = K * N * 2;
    if (overlap(A, A_bytes, C, C_bytes) || overlap(B, B_bytes, C, C_bytes))
        return hipErrorInvalidValue;
    {
        const i64 grid_x = min_i64((N + 127) / 128, 1048576);
        const i64 grid_y = min_i64((M + 127) / 128, 65535);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(gemm_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(64, 4), 0,
                               stream, A, B, C, M, N, K);
    }
    return hipGetLastError();
}
#endif
