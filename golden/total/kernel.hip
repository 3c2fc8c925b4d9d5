// Written by tl2hip from kernel.py for gfx942.
//
// out[0] is the sum over all of X.
//
// Where each loop went:
//   i      grid y, 1 threads       reduction with no parallel axis around it
//   j      grid x, 256 threads     reduction with no parallel axis around it
//   block  256 lanes of the block  reduction: a tree over the lanes

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

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

// each block leaves a partial result
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
total_partials(const float *__restrict__ X, float *__restrict__ s_parts, i64 X_0, i64 X_1)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    float s_part = -0.0f;
    // kernel.py:11: for i in range(rows):
    for (i64 i = block_y; i < X_0; i += blocks_y) {  // one i a block
        // kernel.py:12: for j in range(columns):
        for (i64 j = block_x * 256 + thread_x; j < X_1; j += blocks_x * 256) {  // 256 j a block
            // kernel.py:13: s += X[i, j]
            s_part += X[i * X_1 + j];
        }
    }
    s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
    if (thread_x == 0) {  // one partial a block
        s_parts[block_y * blocks_x + block_x] = s_part;
    }
}

// one block
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
total_finish(float *__restrict__ out, const float *__restrict__ s_parts, i64 X_1, i64 X_0)
{
    __shared__ float lds_values_f32[4];
    const i64 thread_x = threadIdx.x;
    // kernel.py:10: s = f32(0)
    float s = 0.0f;
    float s_part_2 = -0.0f;
    // kernel.py:11: for i in range(rows):
    // block over 256 lanes
    for (i64 block = thread_x; block < min_i64((X_1 + 255) / 256, 16) * min_i64(X_0, 64); block += 256) {
        s_part_2 += s_parts[block];
    }
    s_part_2 = block_sum_f32<256>(s_part_2, lds_values_f32, threadIdx.x);
    s += s_part_2;
    // kernel.py:14: out[0] = s
    if (thread_x == 0) {  // one lane stores
        out[0] = s;
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Bytes of workspace that total needs for these sizes; its parts start at multiples of 256.
extern "C" size_t total_workspace(i64 X_0, i64 X_1)
{
    return (1024 * 4 + 255) / 256 * 256;
}

// Launches total on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t total(const float *X, float *out, i64 X_0, i64 X_1, void *workspace, hipStream_t stream)
{
    if (X_0 < 0 || X_1 < 0)
        return hipErrorInvalidValue;
    const i64 X_bytes = X_0 * X_1 * 4;
    const i64 out_bytes = 4;
    if (overlap(X, X_bytes, out, out_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && total_workspace(X_0, X_1) > 0)
        return hipErrorInvalidValue;
    float *s_parts = (float *)workspace;
    {
        const i64 grid_x = min_i64((X_1 + 255) / 256, 16);
        const i64 grid_y = min_i64(X_0, 64);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(total_partials, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0,
                               stream, X, s_parts, X_0, X_1);
    }
    hipLaunchKernelGGL(total_finish, dim3(1), dim3(256), 0, stream, out, s_parts, X_1, X_0);
    return hipGetLastError();
}
#endif
