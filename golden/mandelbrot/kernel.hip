// Written by tl2hip from kernel.py for gfx942.
//
// count[r, c] is the number of steps until |z| passes 2, at most limit.
//
// Where each loop went:
//   r  grid y, tiles of 4, 4 threads    parallel
//   c  grid x, tiles of 64, 64 threads  parallel; contiguous accesses run along it

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;

// a thread for each r, c
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
mandelbrot_kernel(int *__restrict__ count, i64 H, i64 W, float left, float step, float top, i64 limit)
{
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    const i64 thread_y = threadIdx.y;
    // kernel.py:11: for r in range(H):
    for (i64 r = block_y * 4 + thread_y; r < H; r += blocks_y * 4) {  // 4 r a block
        // kernel.py:12: for c in range(W):
        for (i64 c = block_x * 64 + thread_x; c < W; c += blocks_x * 64) {  // 64 c a block
            // kernel.py:13: a = left + c * step
            float a = left + (float)c * step;
            // kernel.py:14: b = top - r * step
            float b = top - (float)r * step;
            // kernel.py:15: x = f32(0)
            float x = 0.0f;
            // kernel.py:16: y = f32(0)
            float y = 0.0f;
            // kernel.py:17: n = 0
            i64 n = 0;
            // kernel.py:18: while n < limit and x * x + y * y <= 4:
            while (n < limit && x * x + y * y <= 4.0f) {
                // kernel.py:19: x, y = x * x - y * y + a, 2 * x * y + b
                float next = 2.0f * x * y + b;
                x = x * x - y * y + a;
                y = next;
                // kernel.py:20: n += 1
                n += 1;
            }
            // kernel.py:21: count[r, c] = n
            count[r * W + c] = (int)n;
        }
    }
}

#ifndef __HIPCC_RTC__
static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// Launches mandelbrot on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t mandelbrot(float left, float top, float step, i64 limit, int *count, i64 H, i64 W,
                                 hipStream_t stream)
{
    if (H < 0 || W < 0)
        return hipErrorInvalidValue;
    {
        const i64 grid_x = min_i64((W + 63) / 64, 1048576);
        const i64 grid_y = min_i64((H + 3) / 4, 65535);
        if (grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(mandelbrot_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                               dim3(64, 4), 0, stream, count, H, W, left, step, top, limit);
    }
    return hipGetLastError();
}
#endif
