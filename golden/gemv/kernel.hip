// Written by tl2hip from kernel.py for gfx942.
//
// y = A @ x.
//
// Where each loop went:
//   i  grid, 4 a wave or one a block below 8192 or in slices below 304    parallel; its inner loop runs along memory
//   j  lanes, 4 elements at a time; from 16384 on in slices, one a block  reduction: a tree over the lanes, and a second launch over slices

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

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

static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

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

// a wave for 4 i at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemv_kernel_waves(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, i64 M,
                  i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    const int wave = __builtin_amdgcn_readfirstlane(thread_y);
    // kernel.py:11: for i in range(M):
    for (i64 i_first = (block_x * 4 + wave) * 4; i_first < M; i_first += blocks_x * 16) {  // 4 i a wave
        float y_sum_part_0 = -0.0f;
        float y_sum_part_1 = -0.0f;
        float y_sum_part_2 = -0.0f;
        float y_sum_part_3 = -0.0f;
        // kernel.py:13: for j in range(N):
        for (i64 j_vector = thread_x; j_vector < N / 4; j_vector += 64) {
            const i64 j_first = j_vector * 4;
            f32x4 A_vectors[4];
            #pragma unroll 4
            for (int r = 0; r < 4; ++r) {  // a piece of each row, all under way together
                A_vectors[r] = __builtin_nontemporal_load((const f32x4_any *)&A[min_i64(i_first + r, M - 1)
                        * N + j_first]);
            }
            f32x4 x_vector = *(const f32x4_any *)&x[j_first];
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:14: y[i] += A[i][j] * x[j]
                y_sum_part_0 = __builtin_fmaf(A_vectors[0][e], x_vector[e], y_sum_part_0);
                y_sum_part_1 = __builtin_fmaf(A_vectors[1][e], x_vector[e], y_sum_part_1);
                y_sum_part_2 = __builtin_fmaf(A_vectors[2][e], x_vector[e], y_sum_part_2);
                y_sum_part_3 = __builtin_fmaf(A_vectors[3][e], x_vector[e], y_sum_part_3);
            }
        }
        const i64 j = N / 4 * 4 + thread_x;
        if (j < N) {  // what is left of a vector
            y_sum_part_0 = __builtin_fmaf(A[min_i64(i_first, M - 1) * N + j], x[j], y_sum_part_0);
            y_sum_part_1 = __builtin_fmaf(A[min_i64(i_first + 1, M - 1) * N + j], x[j], y_sum_part_1);
            y_sum_part_2 = __builtin_fmaf(A[min_i64(i_first + 2, M - 1) * N + j], x[j], y_sum_part_2);
            y_sum_part_3 = __builtin_fmaf(A[min_i64(i_first + 3, M - 1) * N + j], x[j], y_sum_part_3);
        }
        y_sum_part_0 = wave_sum_f32(y_sum_part_0);
        y_sum_part_1 = wave_sum_f32(y_sum_part_1);
        y_sum_part_2 = wave_sum_f32(y_sum_part_2);
        y_sum_part_3 = wave_sum_f32(y_sum_part_3);
        const i64 i = i_first + thread_x;
        if (thread_x < 4 && i < M) {  // a lane for each row
            const float y_sum_part = thread_x == 3 ? y_sum_part_3 : thread_x == 2 ? y_sum_part_2 : thread_x ==
                    1 ? y_sum_part_1 : y_sum_part_0;
            float y_sum = -0.0f;
            y_sum += y_sum_part;
            y[i] = 0.0f + y_sum;
        }
    }
}

// a block for each slice of each i leaves a partial result
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemv_kernel_slices(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y_sum_parts,
                   i64 M, i64 j_slice, i64 N, i64 j_slices)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(M):
    for (i64 i = block_y; i < M; i += blocks_y) {  // one i a block
        const i64 j_start = block_x * j_slice;
        const i64 j_stop = min_i64(j_start + j_slice, N / 4);
        const i64 j_tiled = j_start + max_i64(j_stop - j_start, 0) / 1024 * 1024;
        float y_sum_part = -0.0f;
        // kernel.py:13: for j in range(N):
        for (i64 j_tile = j_start; j_tile < j_tiled; j_tile += 1024) {
            const i64 j_first = (j_tile + thread_x) * 4;
            f32x4 A_vectors[4];
            f32x4 x_vectors[4];
            #pragma unroll 4
            for (int v = 0; v < 4; ++v) {  // pieces of the row, all under way together
                A_vectors[v] = __builtin_nontemporal_load((const f32x4_any *)&A[i * N + j_first + v * 1024]);
                x_vectors[v] = *(const f32x4_any *)&x[j_first + v * 1024];
            }
            #pragma unroll 4
            for (int v = 0; v < 4; ++v) {
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:14: y[i] += A[i][j] * x[j]
                    y_sum_part = __builtin_fmaf(A_vectors[v][e], x_vectors[v][e], y_sum_part);
                }
            }
        }
        for (i64 j_vector = j_tiled + thread_x; j_vector < j_stop; j_vector += 256) {
            const i64 j_first = j_vector * 4;
            f32x4 A_vector = __builtin_nontemporal_load((const f32x4_any *)&A[i * N + j_first]);
            f32x4 x_vector = *(const f32x4_any *)&x[j_first];
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                y_sum_part = __builtin_fmaf(A_vector[e], x_vector[e], y_sum_part);
            }
        }
        const i64 j = N / 4 * 4 + thread_x;
        if (block_x == j_slices - 1 && j < N) {  // what is left of a vector
            y_sum_part = __builtin_fmaf(A[i * N + j], x[j], y_sum_part);
        }
        y_sum_part = block_sum_f32<256>(y_sum_part, lds_values_f32, threadIdx.x);
        if (thread_x == 0) {  // one partial a slice
            y_sum_parts[i * j_slices + block_x] = y_sum_part;
        }
    }
}

// adds up the partial results of each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemv_finish(float *__restrict__ y, const float *__restrict__ y_sum_parts, i64 M, i64 j_slices)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(M):
    for (i64 i = block_x; i < M; i += blocks_x) {  // one i a block
        // kernel.py:14: y[i] += A[i][j] * x[j]
        float y_sum = -0.0f;
        float y_sum_part_4 = -0.0f;
        // kernel.py:13: for j in range(N):
        for (i64 slice = thread_x; slice < j_slices; slice += 256) {  // slice over 256 lanes
            y_sum_part_4 += y_sum_parts[i * j_slices + slice];
        }
        y_sum_part_4 = block_sum_f32<256>(y_sum_part_4, lds_values_f32, threadIdx.x);
        y_sum += y_sum_part_4;
        if (thread_x == 0) {  // one lane stores
            y[i] = 0.0f + y_sum;
        }
    }
}

// a block for each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemv_kernel_block(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, i64 M,
                  i64 N)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(M):
    for (i64 i = block_x; i < M; i += blocks_x) {  // one i a block
        float y_sum_part = -0.0f;
        // kernel.py:13: for j in range(N):
        for (i64 j_tile = 0; j_tile < N / 4 / 1024 * 1024; j_tile += 1024) {
            const i64 j_first = (j_tile + thread_x) * 4;
            f32x4 A_vectors[4];
            f32x4 x_vectors[4];
            #pragma unroll 4
            for (int v = 0; v < 4; ++v) {  // pieces of the row, all under way together
                A_vectors[v] = __builtin_nontemporal_load((const f32x4_any *)&A[i * N + j_first + v * 1024]);
                x_vectors[v] = *(const f32x4_any *)&x[j_first + v * 1024];
            }
            #pragma unroll 4
            for (int v = 0; v < 4; ++v) {
                #pragma unroll 4
                for (i64 e = 0; e < 4; ++e) {
                    // kernel.py:14: y[i] += A[i][j] * x[j]
                    y_sum_part = __builtin_fmaf(A_vectors[v][e], x_vectors[v][e], y_sum_part);
                }
            }
        }
        for (i64 j_vector = N / 4 / 1024 * 1024 + thread_x; j_vector < N / 4; j_vector += 256) {
            const i64 j_first = j_vector * 4;
            f32x4 A_vector = __builtin_nontemporal_load((const f32x4_any *)&A[i * N + j_first]);
            f32x4 x_vector = *(const f32x4_any *)&x[j_first];
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                y_sum_part = __builtin_fmaf(A_vector[e], x_vector[e], y_sum_part);
            }
        }
        const i64 j = N / 4 * 4 + thread_x;
        if (j < N) {  // what is left of a vector
            y_sum_part = __builtin_fmaf(A[i * N + j], x[j], y_sum_part);
        }
        y_sum_part = block_sum_f32<256>(y_sum_part, lds_values_f32, threadIdx.x);
        if (thread_x == 0) {  // one lane stores
            float y_sum = -0.0f;
            y_sum += y_sum_part;
            y[i] = 0.0f + y_sum;
        }
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Bytes of workspace that gemv needs for these sizes; its parts start at multiples of 256.
extern "C" size_t gemv_workspace(i64 M, i64 N)
{
    return !(M >= 8192) && (M < 304 && N >= 16384) ? (1024 * 4 + 255) / 256 * 256 : 0;
}

// Launches gemv on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t gemv(const float *A, const float *x, float *y, i64 M, i64 N, void *workspace,
                           hipStream_t stream)
{
    if (M < 0 || N < 0)
        return hipErrorInvalidValue;
    const i64 A_bytes = M * N * 4;
    const i64 y_bytes = M * 4;
    const i64 x_bytes = N * 4;
    if (overlap(A, A_bytes, y, y_bytes) || overlap(x, x_bytes, y, y_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && gemv_workspace(M, N) > 0)
        return hipErrorInvalidValue;
    float *y_sum_parts = (float *)workspace;
    if (M >= 8192) {
        if (const i64 grid_x = min_i64((M + 15) / 16, 1048576); grid_x > 0)
            hipLaunchKernelGGL(gemv_kernel_waves, dim3((unsigned int)grid_x), dim3(64, 4), 0, stream, A, x, y,
                               M, N);
    } else if (M < 304 && N >= 16384) {
        // slices that each may have
        const i64 j_share = max_i64(1024 / max_i64(M, 1), 1);
        // a slice of j, in vectors of 4
        const i64 j_slice = max_i64(((N / 4 + 255) / 256 + j_share - 1) / j_share, 1) * 256;
        const i64 j_slices = (N / 4 + j_slice - 1) / j_slice;
        if (const i64 grid_x = j_slices, grid_y = min_i64(M, 65535); grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(gemv_kernel_slices, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                               dim3(256), 0, stream, A, x, y_sum_parts, M, j_slice, N, j_slices);
        if (const i64 grid_x = min_i64(M, 1048576); grid_x > 0)
            hipLaunchKernelGGL(gemv_finish, dim3((unsigned int)grid_x), dim3(256), 0, stream, y, y_sum_parts,
                               M, j_slices);
    } else {
        if (const i64 grid_x = min_i64(M, 1048576); grid_x > 0)
            hipLaunchKernelGGL(gemv_kernel_block, dim3((unsigned int)grid_x), dim3(256), 0, stream, A, x, y,
                               M, N);
    }
    return hipGetLastError();
}
#endif
