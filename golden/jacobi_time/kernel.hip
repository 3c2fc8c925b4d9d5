// Written by tl2hip from kernel.py for gfx942.
//
// Runs 2 * steps steps: from A to B, then from B back to A.
//
// Where each loop went:
//   _  a loop of the launcher           an element of A written in one iteration is written again in another iteration
//   i  grid y, tiles of 4, 4 threads    parallel
//   j  grid x, tiles of 64, 64 threads  parallel; contiguous accesses run along it
//   i  grid y, tiles of 4, 4 threads    parallel
//   j  grid x, tiles of 64, 64 threads  parallel; contiguous accesses run along it
//
// _ is called v_ here.

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));

static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

// a thread for each i, j, 4 j at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
jacobi_time_kernel(const float *__restrict__ A, float *__restrict__ B, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:12: for i in range(1, N - 1):
    for (i64 i = block_y * 4 + thread_y + 1; i < N - 1; i += blocks_y * 4) {  // 4 i a block
        // kernel.py:13: for j in range(1, N - 1):
        // 64 j a block
        for (i64 j_vector = block_x * 64 + thread_x; j_vector < max_i64(N - 2, 0) / 4; j_vector +=
             blocks_x * 64) {
            const i64 j_first = j_vector * 4 + 1;
            f32x4 A_vector = *(const f32x4_any *)&A[i * N + j_first];
            f32x4 A_vector_2 = *(const f32x4_any *)&A[i * N + j_first - 1];
            f32x4 A_vector_3 = *(const f32x4_any *)&A[i * N + j_first + 1];
            f32x4 A_vector_4 = *(const f32x4_any *)&A[(i - 1) * N + j_first];
            f32x4 A_vector_5 = *(const f32x4_any *)&A[(i + 1) * N + j_first];
            f32x4 B_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:14: B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j])
                B_vector[e] =
                        0.2f * (A_vector[e] + A_vector_2[e] + A_vector_3[e] + A_vector_4[e] + A_vector_5[e]);
            }
            *(f32x4_any *)&B[i * N + j_first] = B_vector;
        }
        const i64 j = max_i64(N - 2, 0) / 4 * 4 + block_x * 64 + thread_x + 1;
        if (j < N - 1) {  // what is left of a vector
            B[i * N + j] = 0.2f
                    * (A[i * N + j] + A[i * N + j - 1] + A[i * N + j + 1] + A[(i - 1) * N + j]
                       + A[(i + 1) * N + j]);
        }
    }
}

// a thread for each i, j, 4 j at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
jacobi_time_kernel_2(float *__restrict__ A, const float *__restrict__ B, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:15: for i in range(1, N - 1):
    for (i64 i = block_y * 4 + thread_y + 1; i < N - 1; i += blocks_y * 4) {  // 4 i a block
        // kernel.py:16: for j in range(1, N - 1):
        // 64 j a block
        for (i64 j_vector = block_x * 64 + thread_x; j_vector < max_i64(N - 2, 0) / 4; j_vector +=
             blocks_x * 64) {
            const i64 j_first = j_vector * 4 + 1;
            f32x4 B_vector = *(const f32x4_any *)&B[i * N + j_first];
            f32x4 B_vector_2 = *(const f32x4_any *)&B[i * N + j_first - 1];
            f32x4 B_vector_3 = *(const f32x4_any *)&B[i * N + j_first + 1];
            f32x4 B_vector_4 = *(const f32x4_any *)&B[(i - 1) * N + j_first];
            f32x4 B_vector_5 = *(const f32x4_any *)&B[(i + 1) * N + j_first];
            f32x4 A_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:17: A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j])
                A_vector[e] =
                        0.2f * (B_vector[e] + B_vector_2[e] + B_vector_3[e] + B_vector_4[e] + B_vector_5[e]);
            }
            *(f32x4_any *)&A[i * N + j_first] = A_vector;
        }
        const i64 j = max_i64(N - 2, 0) / 4 * 4 + block_x * 64 + thread_x + 1;
        if (j < N - 1) {  // what is left of a vector
            A[i * N + j] = 0.2f
                    * (B[i * N + j] + B[i * N + j - 1] + B[i * N + j + 1] + B[(i - 1) * N + j]
                       + B[(i + 1) * N + j]);
        }
    }
}

#ifndef __HIPCC_RTC__
static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches jacobi_time on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t jacobi_time(i64 steps, float *A, float *B, i64 N, hipStream_t stream)
{
    if (N < 0)
        return hipErrorInvalidValue;
    const i64 A_bytes = N * N * 4;
    const i64 B_bytes = N * N * 4;
    if (overlap(A, A_bytes, B, B_bytes))
        return hipErrorInvalidValue;
    // kernel.py:11: for _ in range(steps):
    for (i64 v_ = 0; v_ < steps; ++v_) {
        {
            const i64 grid_x = min_i64((max_i64((max_i64(N - 2, 0) + 3) / 4, 0) + 63) / 64, 1048576);
            const i64 grid_y = min_i64((max_i64(N - 2, 0) + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(jacobi_time_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(64, 4), 0, stream, A, B, N);
        }
        {
            const i64 grid_x = min_i64((max_i64((max_i64(N - 2, 0) + 3) / 4, 0) + 63) / 64, 1048576);
            const i64 grid_y = min_i64((max_i64(N - 2, 0) + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(jacobi_time_kernel_2, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(64, 4), 0, stream, A, B, N);
        }
    }
    return hipGetLastError();
}
#endif
