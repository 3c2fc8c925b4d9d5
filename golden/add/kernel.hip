// Written by tl2hip from kernel.py for gfx942.
//
// out = a + b.
//
// Where each loop went:
//   i  grid x, tiles of 1024, 256 threads  parallel; contiguous accesses run along it

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// a thread for each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
add_kernel(const float *a, const float *b, float *out, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:12: for i in range(N):
    for (i64 i_tile = block_x * 1024; i_tile < N; i_tile += blocks_x * 1024) {  // tiles of 1024 i
        for (i64 i = i_tile + thread_x; i < min_i64(i_tile + 1024, N); i += 256) {
            // kernel.py:13: out[i] = a[i] + b[i]
            out[i] = a[i] + b[i];
        }
    }
}

// the same by 4 elements at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
add_kernel_aligned(const float *a, const float *b, float *out, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:12: for i in range(N):
    // 256 i a block
    for (i64 i_vector = block_x * 256 + thread_x; i_vector < N / 4; i_vector += blocks_x * 256) {
        const i64 i_first = i_vector * 4;
        f32x4 a_vector = *(const f32x4 *)&a[i_first];
        f32x4 b_vector = *(const f32x4 *)&b[i_first];
        f32x4 out_vector;
        #pragma unroll 4
        for (i64 e = 0; e < 4; ++e) {
            // kernel.py:13: out[i] = a[i] + b[i]
            out_vector[e] = a_vector[e] + b_vector[e];
        }
        *(f32x4 *)&out[i_first] = out_vector;
    }
    // what is left of a vector
    for (i64 i = N / 4 * 4 + block_x * 256 + thread_x; i < N; i += blocks_x * 256) {
        out[i] = a[i] + b[i];
    }
}

#ifndef __HIPCC_RTC__
// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches add on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t add(const float *a, const float *b, float *out, i64 N, hipStream_t stream)
{
    if (N < 0)
        return hipErrorInvalidValue;
    const i64 a_bytes = N * 4;
    const i64 out_bytes = N * 4;
    const i64 b_bytes = N * 4;
    if (((const void *)a != out && overlap(a, a_bytes, out, out_bytes)) ||
        ((const void *)b != out && overlap(b, b_bytes, out, out_bytes)))
        return hipErrorInvalidValue;
    if ((size_t)a % 16 == 0 && (size_t)b % 16 == 0 && (size_t)out % 16 == 0) {
        if (const i64 grid_x = min_i64((N + 1023) / 1024, 1048576); grid_x > 0)
            hipLaunchKernelGGL(add_kernel_aligned, dim3((unsigned int)grid_x), dim3(256), 0, stream, a, b,
                               out, N);
    } else {
        if (const i64 grid_x = min_i64((N + 1023) / 1024, 1048576); grid_x > 0)
            hipLaunchKernelGGL(add_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, a, b, out, N);
    }
    return hipGetLastError();
}
#endif
