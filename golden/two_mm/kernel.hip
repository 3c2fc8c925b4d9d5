// Written by tl2hip from kernel.py for gfx942.
//
// D = alpha * A @ B @ C + beta * D.
//
// Where each loop went:
//   m  grid x, tiles of 4096, 256 threads  elementwise, 4 elements at a time
//   n  grid x, tiles of 4096, 256 threads  elementwise, 4 elements at a time
//   i  grid y, tiles of 4, 4 threads       parallel
//   j  grid x, tiles of 64, 64 threads     parallel; contiguous accesses run along it
//   k  serial in each thread               a reduction; the axes around it fill the machine
//   i  grid y, tiles of 4, 4 threads       parallel
//   j  grid x, tiles of 64, 64 threads     parallel; contiguous accesses run along it
//   k  serial in each thread               a reduction; the axes around it fill the machine

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

// a block for 4096 elements, 4 at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel(float *__restrict__ T, i64 M, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:20: T = np.zeros((M, N), dtype=np.float32)
    if (block_x < M * N / 4096) {  // a whole tile of 4096
        const i64 m_n_first = block_x * 4096 + thread_x / 64 * 1024 + thread_x % 64 * 4;
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
    const i64 m_n = M * N / 4096 * 4096 + block_x * 256 + thread_x;
    if (m_n < M * N) {  // behind the last whole tile
        T[m_n] = 0.0f;
    }
}

// the same where there are more tiles than blocks
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel_any_size(float *__restrict__ T, i64 M, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:20: T = np.zeros((M, N), dtype=np.float32)
    for (i64 m = block_y * 4 + thread_y; m < M; m += blocks_y * 4) {  // 4 m a block
        for (i64 n = block_x * 64 + thread_x; n < N; n += blocks_x * 64) {  // 64 n a block
            T[m * N + n] = 0.0f;
        }
    }
}

// a thread for each i, j
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel_2(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ T, i64 M, i64 N,
                i64 K, float alpha)
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

// a thread for each i, j
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
two_mm_kernel_3(const float *__restrict__ C, float *__restrict__ D, const float *__restrict__ T, i64 M, i64 L,
                float beta, i64 N)
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
static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Bytes of workspace that two_mm needs for these sizes; its parts start at multiples of 256.
extern "C" size_t two_mm_workspace(i64 M, i64 K, i64 N, i64 L)
{
    return (M * N * 4 + 255) / 256 * 256;
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
    if (M * N / 4096 <= 8388608) {
        if (const i64 grid_x = max_i64(M * N / 4096, min_i64((M * N + 255) / 256, 16)); grid_x > 0)
            hipLaunchKernelGGL(two_mm_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, T, M, N);
    } else {
        {
            const i64 grid_x = min_i64((N + 63) / 64, 1048576);
            const i64 grid_y = min_i64((M + 3) / 4, 65535);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(two_mm_kernel_any_size, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(64, 4), 0, stream, T, M, N);
        }
    }
    {
        const i64 grid_x = min_i64((N + 63) / 64, 1048576);
        const i64 grid_y = min_i64((M + 3) / 4, 65535);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(two_mm_kernel_2, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(64, 4),
                               0, stream, A, B, T, M, N, K, alpha);
    }
    {
        const i64 grid_x = min_i64((L + 63) / 64, 1048576);
        const i64 grid_y = min_i64((M + 3) / 4, 65535);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(two_mm_kernel_3, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(64, 4),
                               0, stream, C, D, T, M, L, beta, N);
    }
    return hipGetLastError();
}
#endif
