// Written by tl2hip from kernel.py for gfx942.
//
// y = A @ x; row i of A holds value[p] in column[p], p from start[i] up to start[i + 1].
//
// Where each loop went:
//   i  grid x, one a block    parallel; its inner loops run along memory
//   p  64 lanes of the block  reduction: a tree over the lanes

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

// An index as Python takes it: -n to -1 count from the end; -1 stands for any other outside 0 to n-1.
static inline __host__ __device__ i64 wrapped(i64 i, i64 n)
{
    const i64 at = i < 0 ? i + n : i;
    return at >= 0 && at < n ? at : -1;
}

template <typename T>
static inline __device__ T load_or_zero(const T *array, i64 at)
{
    return at >= 0 ? array[at] : T{};
}

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

// a block for each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void
spmv_kernel(const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value,
            const float *__restrict__ x, float *__restrict__ y, i64 M, i64 NNZ, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:17: for i in range(M):
    for (i64 i = block_x; i < M; i += blocks_x) {  // one i a block
        // kernel.py:18: s = f32(0)
        float s = 0.0f;
        float s_part = -0.0f;
        // kernel.py:19: for p in range(start[i], start[i + 1]):
        for (i64 p = (i64)start[i] + thread_x; p < (i64)start[i + 1]; p += 64) {  // p over 64 lanes
            // kernel.py:20: s += value[p] * x[column[p]]
            s_part = __builtin_fmaf(load_or_zero(value, wrapped(p, NNZ)),
                                    load_or_zero(x, wrapped(load_or_zero(column, wrapped(p, NNZ)), N)),
                                    s_part);
        }
        s_part = wave_sum_f32(s_part);
        s += s_part;
        // kernel.py:21: y[i] = s
        if (thread_x == 0) {  // one lane stores
            y[i] = s;
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

// Launches spmv on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t spmv(const int *start, const int *column, const float *value, const float *x, float *y,
                           i64 M, i64 NNZ, i64 N, hipStream_t stream)
{
    if (M < 0 || NNZ < 0 || N < 0)
        return hipErrorInvalidValue;
    const i64 start_bytes = (M + 1) * 4;
    const i64 y_bytes = M * 4;
    const i64 column_bytes = NNZ * 4;
    const i64 value_bytes = NNZ * 4;
    const i64 x_bytes = N * 4;
    if (overlap(start, start_bytes, y, y_bytes) ||
        overlap(column, column_bytes, y, y_bytes) ||
        overlap(value, value_bytes, y, y_bytes) ||
        overlap(x, x_bytes, y, y_bytes))
        return hipErrorInvalidValue;
    if (const i64 grid_x = min_i64(M, 1048576); grid_x > 0)
        hipLaunchKernelGGL(spmv_kernel, dim3((unsigned int)grid_x), dim3(64), 0, stream, start, column, value,
                           x, y, M, NNZ, N);
    return hipGetLastError();
}
#endif
