// Written by tl2hip from kernel.py for gfx942.
//
// out = a + b.
//
// Where each loop went:
//   i  grid x, tiles of 1024, 128 threads  elementwise, 4 elements at a time

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

// a block for 1024 elements, 4 at a time
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void
add_kernel(const float *a, const float *b, float *out, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    const i64 block = block_y * blocks_x + block_x;
    // kernel.py:12: for i in range(N):
    if (block < N / 1024) {  // a whole tile of 1024
        const i64 i_first = block * 1024 + thread_x / 64 * 512 + thread_x % 64 * 4;
        f32x4 a_vectors[2];
        f32x4 b_vectors[2];
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {  // all loads first: they are under way together
            a_vectors[v] = __builtin_nontemporal_load((const f32x4_any *)&a[i_first + v * 256]);
            b_vectors[v] = __builtin_nontemporal_load((const f32x4_any *)&b[i_first + v * 256]);
        }
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            f32x4 out_vector;
            #pragma unroll 4
            for (i64 e = 0; e < 4; ++e) {
                // kernel.py:13: out[i] = a[i] + b[i]
                out_vector[e] = a_vectors[v][e] + b_vectors[v][e];
            }
            __builtin_nontemporal_store(out_vector, (f32x4_any *)&out[i_first + v * 256]);
        }
    }
    const i64 i = N / 1024 * 1024 + block * 128 + thread_x;
    if (i < N) {  // behind the last whole tile
        out[i] = a[i] + b[i];
    }
}

#ifndef __HIPCC_RTC__
static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
static inline __host__ __device__ i64 max_i64(i64 a, i64 b) { return b > a ? b : a; }

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
    {
        const i64 grid_x = min_i64(max_i64(N / 1024, min_i64((N + 127) / 128, 8)), 8388608);
        const i64 grid_y = N / 1024 / 8388608 + 1;
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(add_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(128), 0,
                               stream, a, b, out, N);
    }
    return hipGetLastError();
}
#endif
