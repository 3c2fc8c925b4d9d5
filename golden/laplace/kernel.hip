// Written by tl2hip from kernel.py for gfx942.
//
// Each point becomes the mean of its neighbours until the sum of all changes is at most `target`.
//
// Where each loop went:
//   while  a loop of the launcher              there are parallel loops in it; it waits for what its test reads
//   i      grid x, tiles of 4096, 256 threads  elementwise, 4 elements at a time
//   j      grid x, tiles of 4096, 256 threads  elementwise, 4 elements at a time
//   i      grid y, 1 threads                   reduction with no parallel axis around it
//   j      grid x, 256 threads                 reduction with no parallel axis around it
//   block  256 lanes of the block              reduction: a tree over the lanes

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
using u64 = unsigned long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

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

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }
static inline __host__ __device__ i64 wrap_add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

// one block
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 1))) void
laplace_scalars(float *__restrict__ change_slot, i64 *__restrict__ steps_slot, float target)
{
    // kernel.py:11: change = target + 1
    float change = target + 1.0f;
    // kernel.py:12: steps = 0
    i64 steps = 0;
    change_slot[0] = change;
    steps_slot[0] = steps;
}

// a block for 4096 elements, 4 at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
laplace_kernel(const float *__restrict__ p, float *__restrict__ old, i64 M, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    const i64 block = block_y * blocks_x + block_x;
    // kernel.py:15: for j in range(N):
    if (block < M * N / 4096) {  // a whole tile of 4096
        const i64 i_j_first = block * 4096 + thread_x / 64 * 1024 + thread_x % 64 * 4;
        f32x4 p_vectors[4];
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {  // all loads first: they are under way together
            p_vectors[v] = __builtin_nontemporal_load((const f32x4_any *)&p[i_j_first + v * 256]);
        }
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {
            f32x4 old_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:16: old[i, j] = p[i, j]
                old_vector[e] = p_vectors[v][e];
            }
            __builtin_nontemporal_store(old_vector, (f32x4_any *)&old[i_j_first + v * 256]);
        }
    }
    const i64 i_j = M * N / 4096 * 4096 + block * 256 + thread_x;
    if (i_j < M * N) {  // behind the last whole tile
        old[i_j] = p[i_j];
    }
}

// each block leaves a partial result
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
laplace_partials(float *__restrict__ p, const float *__restrict__ old, float *__restrict__ change_parts,
                 i64 M, i64 N)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    float change_part = -0.0f;
    // kernel.py:18: for i in range(1, M - 1):
    for (i64 i = block_y + 1; i < M - 1; i += blocks_y) {  // one i a block
        // kernel.py:19: for j in range(1, N - 1):
        for (i64 j = block_x * 256 + thread_x + 1; j < N - 1; j += blocks_x * 256) {  // 256 j a block
            // kernel.py:20: p[i, j] = 0.25 * (old[i, j - 1] + old[i, j + 1] + old[i - 1, j] + old[i + 1, j])
            p[i * N + j] = 0.25f
                    * (old[i * N + j - 1] + old[i * N + j + 1] + old[(i - 1) * N + j] + old[(i + 1) * N + j]);
            // kernel.py:21: change += abs(p[i, j] - old[i, j])
            change_part += __builtin_fabsf(p[i * N + j] - old[i * N + j]);
        }
    }
    change_part = block_sum_f32<256>(change_part, lds_values_f32, threadIdx.x);
    if (thread_x == 0) {  // one partial a block
        change_parts[block_y * blocks_x + block_x] = change_part;
    }
}

// one block
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
laplace_finish(float *__restrict__ change_slot, i64 *__restrict__ steps_slot,
               const float *__restrict__ change_parts, i64 N, i64 M)
{
    __shared__ float lds_values_f32[4];
    const i64 thread_x = threadIdx.x;
    // kernel.py:17: change = f32(0)
    i64 steps = steps_slot[0];
    float change = 0.0f;
    float change_part_2 = -0.0f;
    // kernel.py:18: for i in range(1, M - 1):
    // block over 256 lanes
    for (i64 block = thread_x;
         block < min_i64((max_i64(N - 2, 0) + 255) / 256, 16) * min_i64(max_i64(M - 2, 0), 64); block +=
         256) {
        change_part_2 += change_parts[block];
    }
    change_part_2 = block_sum_f32<256>(change_part_2, lds_values_f32, threadIdx.x);
    change += change_part_2;
    // kernel.py:22: steps += 1
    steps = wrap_add_i64(steps, 1);
    if (thread_x == 0) {  // one lane stores
        change_slot[0] = change;
    }
    if (thread_x == 0) {  // one lane stores
        steps_slot[0] = steps;
    }
}

// one block
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 1))) void
laplace_finish_2(i64 *__restrict__ result, const i64 *__restrict__ steps_slot)
{
    const i64 steps = steps_slot[0];
    // kernel.py:23: return steps
    result[0] = steps;
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Copies one element of device memory to the host, once all that was launched on the stream before is done.
template <typename T>
static hipError_t read_back(T *to, const T *from, hipStream_t stream)
{
    const hipError_t error = hipMemcpyAsync(to, from, sizeof(T), hipMemcpyDeviceToHost, stream);
    return error == hipSuccess ? hipStreamSynchronize(stream) : error;
}

// Bytes of workspace that laplace needs for these sizes; its parts start at multiples of 256.
extern "C" size_t laplace_workspace(i64 M, i64 N)
{
    return (4 + 255) / 256 * 256 + (8 + 255) / 256 * 256 + (1024 * 4 + 255) / 256 * 256;
}

// Launches laplace on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t laplace(float *p, float *old, float target, i64 limit, i64 *result, i64 M, i64 N,
                              void *workspace, hipStream_t stream)
{
    if (M < 0 || N < 0)
        return hipErrorInvalidValue;
    const i64 p_bytes = M * N * 4;
    const i64 old_bytes = M * N * 4;
    const i64 result_bytes = 8;
    if (overlap(p, p_bytes, old, old_bytes) ||
        overlap(p, p_bytes, result, result_bytes) ||
        overlap(old, old_bytes, result, result_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && laplace_workspace(M, N) > 0)
        return hipErrorInvalidValue;
    float *change_slot = (float *)workspace;
    i64 *steps_slot = (i64 *)((char *)change_slot + (4 + 255) / 256 * 256);
    float *change_parts = (float *)((char *)steps_slot + (8 + 255) / 256 * 256);
    hipLaunchKernelGGL(laplace_scalars, dim3(1), dim3(1), 0, stream, change_slot, steps_slot, target);
    // kernel.py:13: while change > target and steps < limit:
    for (;;) {
        float change;
        if (const hipError_t error = read_back(&change, change_slot, stream))
            return error;
        i64 steps;
        if (const hipError_t error = read_back(&steps, steps_slot, stream))
            return error;
        if (!(change > target && steps < limit))
            break;
        {
            const i64 grid_x = min_i64(max_i64(M * N / 4096, min_i64((M * N + 255) / 256, 16)), 8388608);
            const i64 grid_y = M * N / 4096 / 8388608 + 1;
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(laplace_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(256), 0, stream, p, old, M, N);
        }
        {
            const i64 grid_x = min_i64((max_i64(N - 2, 0) + 255) / 256, 16);
            const i64 grid_y = min_i64(max_i64(M - 2, 0), 64);
            if (grid_x > 0 && grid_y > 0)
                hipLaunchKernelGGL(laplace_partials, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                                   dim3(256), 0, stream, p, old, change_parts, M, N);
        }
        hipLaunchKernelGGL(laplace_finish, dim3(1), dim3(256), 0, stream, change_slot, steps_slot,
                           change_parts, N, M);
    }
    hipLaunchKernelGGL(laplace_finish_2, dim3(1), dim3(1), 0, stream, result, steps_slot);
    return hipGetLastError();
}
#endif
