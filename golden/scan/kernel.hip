// Written by tl2hip from kernel.py for gfx942.
//
// Where each loop went:
//   i  grid x, tiles of 1024 in chunks, 256 threads  scan of s by +

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));
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

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// The float a lane before this one holds, by a DPP pattern; `none` where it names no lane, or not in these rows.
template <int pattern, int rows = 0xf>
static inline __device__ float earlier(float x, float none)
{
    const int bits = __builtin_bit_cast(int, x), old = __builtin_bit_cast(int, none);
    return __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(old, bits, pattern, rows, 0xf, false));
}

// The sum over the lanes of a wave before this one; `all` becomes that over all 64. All lanes must be here.
static inline __device__ float wave_sum_before_f32(float x, float &all)
{
    const float none = -0.0f;
    float y;
    y = earlier<0x111>(x, none);       // row_shr:1
    x = y + x;
    y = earlier<0x112>(x, none);       // row_shr:2
    x = y + x;
    y = earlier<0x114>(x, none);       // row_shr:4
    x = y + x;
    y = earlier<0x118>(x, none);       // row_shr:8
    x = y + x;
    y = earlier<0x142, 0xa>(x, none);  // row_bcast15: the row before, to the second and the fourth
    x = y + x;
    y = earlier<0x143, 0xc>(x, none);  // row_bcast31: the first half of the wave, to the other
    x = y + x;
    all = last_lane(x);
    return earlier<0x138>(x, none);    // wave_shr:1: what the lane before ends with
}

// The sum over the threads of a block before this one; `all` becomes that over all. All threads must be here.
template <int threads>
static inline __device__ float block_sum_before_f32(float x, float &all, float *parts, unsigned int thread)
{
    float y;
    x = wave_sum_before_f32(x, y);
    if (thread % 64 == 0)
        parts[thread / 64] = y;
    __syncthreads();
    all = -0.0f;
    for (unsigned int wave = 0; wave < threads / 64; ++wave) {
        if (wave == thread / 64)
            x = all + x;
        y = parts[wave];
        all = all + y;
    }
    __syncthreads();
    return x;
}

// what each chunk but the last adds
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
prefix_sum_partials(const float *x, float *__restrict__ s_parts, i64 N)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    float s_part = -0.0f;
    const i64 tiles = (N + 1023) / 1024;
    const i64 begin = block_x * tiles / (blocks_x + 1) * 1024;
    const i64 end = (block_x + 1) * tiles / (blocks_x + 1) * 1024;
    // kernel.py:11: for i in range(N):
    for (i64 tile = begin; tile < end; tile += 1024) {  // 4 a thread, as a vector
        const i64 first = tile + thread_x * 4;
        f32x4 x_vector = *(const f32x4_any *)&x[first];
        #pragma unroll 4
        for (i64 e = 0; e < 4; ++e) {
            // kernel.py:12: s += x[i]
            s_part += x_vector[e];
        }
    }
    s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
    if (thread_x == 0) {  // one part a block
        s_parts[block_x] = s_part;
    }
}

// a block for each chunk, 1024 i at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
prefix_sum_scan(const float *x, float *y, const float *__restrict__ s_parts, i64 N)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    float s_so_far = -0.0f;
    for (i64 block = thread_x; block < block_x; block += 256) {  // chunks before
        s_so_far += s_parts[block];
    }
    s_so_far = block_sum_f32<256>(s_so_far, lds_values_f32, threadIdx.x);
    s_so_far = 0.0f + s_so_far;
    const i64 tiles = (N + 1023) / 1024;
    const i64 begin = block_x * tiles / blocks_x * 1024;
    const i64 end = min_i64((block_x + 1) * tiles / blocks_x * 1024, N);
    const i64 whole = min_i64(end, N / 1024 * 1024);
    // kernel.py:11: for i in range(N):
    for (i64 tile = begin; tile < whole; tile += 1024) {  // 4 a thread, as a vector
        const i64 first = tile + thread_x * 4;
        f32x4 x_vector = *(const f32x4_any *)&x[first];
        float s_part = -0.0f;
        #pragma unroll 4
        for (i64 e = 0; e < 4; ++e) {
            // kernel.py:12: s += x[i]
            s_part += x_vector[e];
        }
        float s_tile;
        s_part = block_sum_before_f32<256>(s_part, s_tile, lds_values_f32, threadIdx.x);
        float s = s_so_far + s_part;
        f32x4 y_vector;
        #pragma unroll 4
        for (i64 e = 0; e < 4; ++e) {
            s += x_vector[e];
            // kernel.py:13: y[i] = s
            y_vector[e] = s;
        }
        *(f32x4_any *)&y[first] = y_vector;
        s_so_far += s_tile;
    }
    for (i64 tile = whole; tile < end; tile += 1024) {  // 4 a thread at a time
        const i64 first = tile + thread_x * 4;
        const i64 last = min_i64(first + 4, end);
        float s_part = -0.0f;
        for (i64 i = first; i < last; ++i) {
            s_part += x[i];
        }
        float s_tile;
        s_part = block_sum_before_f32<256>(s_part, s_tile, lds_values_f32, threadIdx.x);
        float s = s_so_far + s_part;
        for (i64 i = first; i < last; ++i) {
            s += x[i];
            y[i] = s;
        }
        s_so_far += s_tile;
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Bytes of workspace that prefix_sum needs for these sizes; its parts start at multiples of 256.
extern "C" size_t prefix_sum_workspace(i64 N)
{
    return (1024 * 4 + 255) / 256 * 256;
}

// Launches prefix_sum on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t prefix_sum(const float *x, float *y, i64 N, void *workspace, hipStream_t stream)
{
    if (N < 0)
        return hipErrorInvalidValue;
    const i64 x_bytes = N * 4;
    const i64 y_bytes = N * 4;
    if ((const void *)x != y && overlap(x, x_bytes, y, y_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && prefix_sum_workspace(N) > 0)
        return hipErrorInvalidValue;
    float *s_parts = (float *)workspace;
    if (N <= 1024) {
        hipLaunchKernelGGL(prefix_sum_scan, dim3(1), dim3(256), 0, stream, x, y, s_parts, N);
    } else {
        if (const i64 grid_x = min_i64((N + 1023) / 1024, 1024) - 1; grid_x > 0)
            hipLaunchKernelGGL(prefix_sum_partials, dim3((unsigned int)grid_x), dim3(256), 0, stream, x,
                               s_parts, N);
        if (const i64 grid_x = min_i64((N + 1023) / 1024, 1024); grid_x > 0)
            hipLaunchKernelGGL(prefix_sum_scan, dim3((unsigned int)grid_x), dim3(256), 0, stream, x, y,
                               s_parts, N);
    }
    return hipGetLastError();
}
#endif
