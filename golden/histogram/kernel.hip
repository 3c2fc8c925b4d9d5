// Written by tl2hip from kernel.py for gfx942.
//
// Adds to hist how many of x fall into each bin; values outside are left out.
//
// Where each loop went:
//   i  grid x, tiles of 256, 256 threads  parallel; contiguous accesses run along it; hist by atomics

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

// x without its fraction, held within the 64-bit range; 0 for NaN.
static __device__ inline long long cast_f32_i64(float x) {
    if (x != x) return 0;
    if (x >= 9223372036854775808.0f) return 0x7fffffffffffffffll;
    if (x < -9223372036854775808.0f) return -0x7fffffffffffffffll - 1;
    return (long long)x;
}

// a thread for each i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
histogram_kernel(const float *__restrict__ x, int *__restrict__ hist, i64 N, i64 BINS)
{
    const i64 block_x = blockIdx.x;
    const i64 blocks_x = gridDim.x;
    const i64 thread_x = threadIdx.x;
    // kernel.py:11: for i in range(N):
    for (i64 i = block_x * 256 + thread_x; i < N; i += blocks_x * 256) {  // 256 i a block
        // kernel.py:12: bin = int(x[i] * BINS)
        i64 bin = cast_f32_i64(x[i] * (float)BINS);
        // kernel.py:13: if 0 <= bin < BINS:
        if (0 <= bin && bin < BINS) {
            // kernel.py:14: hist[bin] += 1
            atomicAdd(&hist[bin], 1);
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

// Launches histogram on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t histogram(const float *x, int *hist, i64 N, i64 BINS, hipStream_t stream)
{
    if (N < 0 || BINS < 0)
        return hipErrorInvalidValue;
    const i64 x_bytes = N * 4;
    const i64 hist_bytes = BINS * 4;
    if (overlap(x, x_bytes, hist, hist_bytes))
        return hipErrorInvalidValue;
    if (const i64 grid_x = min_i64((N + 255) / 256, 1048576); grid_x > 0)
        hipLaunchKernelGGL(histogram_kernel, dim3((unsigned int)grid_x), dim3(256), 0, stream, x, hist, N,
                           BINS);
    return hipGetLastError();
}
#endif
