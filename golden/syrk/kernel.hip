// Written by tl2hip from kernel.py for gfx942.
//
// C = alpha * A @ A.T + beta * C where j <= i.
//
// Where each loop went:
//   i  grid x, one a block     parallel; its inner loops run along memory
//   j  256 lanes of the block  parallel
//   j  serial                  parallel; the axes around it fill the machine
//   k  256 lanes of the block  reduction: a tree over the lanes

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));

// The float another lane holds, by a DPP pattern; 0 where the pattern names no lane.
template <int pattern>
static inline __device__ float from_lane(float x)
{
    const int bits = __builtin_bit_cast(int, x);
    return __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, bits, pattern, 0xf, 0xf, true));
}

// The float that lane 63 holds.
static inline __device__ float last_lane(float x)
{
    return __builtin_bit_cast(float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, x), 63));
}

// The sum over the 64 lanes of a wave; every lane gets it. All lanes must be here.
static inline __device__ float wave_sum_f32(float x)
{
    float y;
    y = from_lane<0xb1>(x);   // quad_perm: the neighbour
    x = x + y;
    y = from_lane<0x4e>(x);   // quad_perm: two lanes on
    x = x + y;
    y = from_lane<0x141>(x);  // row_half_mirror: the other four of eight
    x = x + y;
    y = from_lane<0x140>(x);  // row_mirror: the other eight of sixteen
    x = x + y;
    y = from_lane<0x142>(x);  // row_bcast15: the row before
    x = x + y;
    y = from_lane<0x143>(x);  // row_bcast31: the first half of the wave
    x = x + y;
    return last_lane(x);
}

// The sum over all threads of a block; every thread gets it. All threads must be here.
template <int threads>
static inline __device__ float block_sum_f32(float x, float *parts, unsigned int thread)
{
    x = wave_sum_f32(x);
    if (thread % 64 == 0)
        parts[thread / 64] = x;
    __syncthreads();
    x = parts[0];
    for (int wave = 1; wave < threads / 64; ++wave) {
        const float y = parts[wave];
        x = x + y;
    }
    __syncthreads();
    return x;
}

static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

// a block for each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
syrk_kernel(const float *__restrict__ A, float *__restrict__ C, i64 N, float beta, i64 K, float alpha)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(N):
    for (i64 i = block_x; i < N; i += blocks_x) {  // one i a block
        // kernel.py:12: for j in range(i + 1):
        for (i64 j = thread_x; j < i + 1; j += 256) {  // j over 256 lanes
            // kernel.py:13: C[i, j] *= beta
            C[i * N + j] *= beta;
        }
        // kernel.py:15: for j in range(i + 1):
        for (i64 j = 0; j < i + 1; ++j) {
            // kernel.py:16: C[i, j] += alpha * A[i, k] * A[j, k]
            float C_sum = -0.0f;
            float C_sum_part = -0.0f;
            // kernel.py:14: for k in range(K):
            for (i64 k = thread_x; k < K; k += 256) {  // k over 256 lanes
                C_sum_part = __builtin_fmaf(alpha * A[i * K + k], A[j * K + k], C_sum_part);
            }
            C_sum_part = block_sum_f32<256>(C_sum_part, lds_values_f32, threadIdx.x);
            C_sum += C_sum_part;
            if (0 < K) {
                if (thread_x == 0) {  // one lane stores
                    C[i * N + j] += C_sum;
                }
            }
            __syncthreads();
        }
    }
}

// the same by vectors
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
syrk_kernel_aligned(const float *__restrict__ A, float *__restrict__ C, i64 N, float beta, i64 K, float alpha)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(N):
    for (i64 i = block_x; i < N; i += blocks_x) {  // one i a block
        // kernel.py:12: for j in range(i + 1):
        // j over 256 lanes
        for (i64 j_vector = thread_x; j_vector < max_i64(i + 1, 0) / 4; j_vector += 256) {
            const i64 j_first = j_vector * 4;
            f32x4 C_vector = *(const f32x4 *)&C[i * N + j_first];
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:13: C[i, j] *= beta
                C_vector[e] *= beta;
            }
            *(f32x4 *)&C[i * N + j_first] = C_vector;
        }
        for (i64 j = max_i64(i + 1, 0) / 4 * 4 + thread_x; j < i + 1; j += 256) {  // what is left of a vector
            C[i * N + j] *= beta;
        }
        // kernel.py:15: for j in range(i + 1):
        for (i64 j = 0; j < i + 1; ++j) {
            // kernel.py:16: C[i, j] += alpha * A[i, k] * A[j, k]
            float C_sum = -0.0f;
            float C_sum_part = -0.0f;
            // kernel.py:14: for k in range(K):
            for (i64 k = thread_x; k < K; k += 256) {  // k over 256 lanes
                C_sum_part = __builtin_fmaf(alpha * A[i * K + k], A[j * K + k], C_sum_part);
            }
            C_sum_part = block_sum_f32<256>(C_sum_part, lds_values_f32, threadIdx.x);
            C_sum += C_sum_part;
            if (0 < K) {
                if (thread_x == 0) {  // one lane stores
                    C[i * N + j] += C_sum;
                }
            }
            __syncthreads();
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

// Launches syrk on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t syrk(float alpha, float beta, const float *A, float *C, i64 N, i64 K, hipStream_t stream)
{
    if (N < 0 || K < 0)
        return hipErrorInvalidValue;
    const i64 A_bytes = N * K * 4;
    const i64 C_bytes = N * N * 4;
    if (overlap(A, A_bytes, C, C_bytes))
        return hipErrorInvalidValue;
    if ((size_t)C % 16 == 0 && N % 4 == 0) {
        if (const i64 grid_x = min_i64(N, 1048576); grid_x > 0)
            hipLaunchKernelGGL(syrk_kernel_aligned, dim3((unsigned int)grid_x), dim3(256), 0, stream, A, C, N,
                               beta, K, alpha);
    } else {
        if (const i64 grid_x = min_i64(N, 1048576); grid_x > 0)
            hipLaunchKernelGGL(syrk_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, A, C, N, beta,
                               K, alpha);
    }
    return hipGetLastError();
}
#endif
