"""Small HIP texts as a good engineer would write them; the tests plant faults in them by replacing a piece."""

from __future__ import annotations

HEAD = """\
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)
"""


def planted(text: str, right: str, wrong: str) -> str:
    """The text with one piece replaced; the piece must be there exactly once."""
    assert text.count(right) == 1, right
    return text.replace(right, wrong)


BLOCK_SUM = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 8)))
void block_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) s += x[i];
    part[t] = s;
    for (int w = 128; w > 0; w >>= 1) {
        __syncthreads();
        if (t < w) part[t] += part[t + w];
    }
    if (t == 0) y[blockIdx.x] = part[0];
}

extern "C" hipError_t block_sum(const float* x, float* y, int n, int blocks, hipStream_t stream) {
    if (n == 0) return hipSuccess;
    hipLaunchKernelGGL(block_sum_kernel, dim3(blocks), dim3(256), 0, stream, x, y, n);
    return hipGetLastError();
}
"""

TRANSPOSE = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void transpose_kernel(const float* __restrict__ a, float* __restrict__ b, int rows, int columns) {
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int s = 0; s < 32; s += 8) {
        const int i = blockIdx.y * 32 + y + s, j = blockIdx.x * 32 + x;
        if (i < rows && j < columns) tile[y + s][x] = a[(long)i * columns + j];
    }
    __syncthreads();
    for (int s = 0; s < 32; s += 8) {
        const int i = blockIdx.x * 32 + y + s, j = blockIdx.y * 32 + x;
        if (i < columns && j < rows) b[(long)i * rows + j] = tile[x][y + s];
    }
}

extern "C" hipError_t transpose(const float* a, float* b, int rows, int columns, hipStream_t stream) {
    hipLaunchKernelGGL(transpose_kernel, dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream, a, b,
                       rows, columns);
    return hipGetLastError();
}
"""

WAVE_SUM = HEAD + """
template <int control, int rows>
__device__ __forceinline__ float add_from(float x) {
    return x + __int_as_float(__builtin_amdgcn_update_dpp(0, __float_as_int(x), control, rows, 0xF, false));
}

__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void wave_sum_kernel(const float* x, float* y) {
    float s = x[blockIdx.x * 64 + threadIdx.x];
    s = add_from<0xB1, 0xF>(s);
    s = add_from<0x4E, 0xF>(s);
    s = add_from<0x141, 0xF>(s);
    s = add_from<0x140, 0xF>(s);
    s = add_from<0x142, 0xA>(s);
    s = add_from<0x143, 0xC>(s);
    s = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(s), 63));
    if (threadIdx.x == 0) y[blockIdx.x] = s;
}

extern "C" hipError_t wave_sum(const float* x, float* y, int waves, hipStream_t stream) {
    hipLaunchKernelGGL(wave_sum_kernel, dim3(waves), dim3(64), 0, stream, x, y);
    return hipGetLastError();
}
"""

HISTOGRAM = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void histogram_kernel(const int* values, int* counts, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(&counts[values[i]], 1);
}

extern "C" hipError_t histogram(const int* values, int* counts, int n, int bins, hipStream_t stream) {
    hipError_t error = hipMemsetAsync(counts, 0, sizeof(int) * bins, stream);
    if (error != hipSuccess) return error;
    hipLaunchKernelGGL(histogram_kernel, dim3((n + 255) / 256), dim3(256), 0, stream, values, counts, n);
    return hipGetLastError();
}
"""

GEMM = HEAD + """
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4_ __attribute__((ext_vector_type(4)));

// One wave computes 16 x 16 of C = A (M x K) * B (K x N); M and N are multiples of 16, K of 16.
__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void gemm_kernel(const _Float16* A, const _Float16* B, float* C, int N, int K) {
    const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
    float4_ sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < K; k += 16) {
        half4 a, b;
        for (int j = 0; j < 4; ++j) {
            a[j] = A[(row + lane % 16) * K + k + 4 * (lane / 16) + j];
            b[j] = B[(k + 4 * (lane / 16) + j) * N + column + lane % 16];
        }
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, sum, 0, 0, 0);
    }
    for (int r = 0; r < 4; ++r) C[(row + 4 * (lane / 16) + r) * N + column + lane % 16] = sum[r];
}

extern "C" hipError_t gemm(const _Float16* A, const _Float16* B, float* C, int M, int N, int K,
                           hipStream_t stream) {
    if (M % 16 || N % 16 || K % 16) return hipErrorInvalidValue;
    hipLaunchKernelGGL(gemm_kernel, dim3(N / 16, M / 16), dim3(64), 0, stream, A, B, C, N, K);
    return hipGetLastError();
}
"""

SCALE = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void scale_kernel(const float* x, float* y, float by, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = by * x[i];
}

extern "C" hipError_t scale(const float* x, float* y, float by, int n, hipStream_t stream) {
    hipLaunchKernelGGL(scale_kernel, dim3((n + 255) / 256), dim3(256), 0, stream, x, y, by, n);
    return hipGetLastError();
}
"""

SHUFFLE = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(1, 64)))
void shuffle_kernel(const int* x, int* y, int how) {
    const int lane = threadIdx.x;
    int v = x[lane];
    if (how == 0) v = __shfl(v, lane ^ 5);
    if (how == 1) v = __shfl_xor(v, 32);
    if (how == 2) v = __shfl_up(v, 3, 16);
    if (how == 3) v = __shfl_down(v, 3, 16);
    if (how == 4) v = __builtin_amdgcn_ds_swizzle(v, 0x401F);
    if (how == 5) v = __builtin_amdgcn_ds_bpermute((63 - lane) * 4, v);
    if (how == 6) v = __builtin_amdgcn_readfirstlane(v);
    if (how == 7) v = (int)(__ballot(v & 1) >> 32);
    if (how == 8) v = __any(v == 63) + 2 * __all(v >= 0) + 4 * __any(v == 64);
    if (how == 9) v = __builtin_amdgcn_ds_permute((lane ^ 1) * 4, v);
    if (how == 10) v = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    if (how == 11) v = (int)__shfl((double)v, 7);
    y[lane] = v;
}

extern "C" hipError_t shuffle(const int* x, int* y, int how, int threads, hipStream_t stream) {
    hipLaunchKernelGGL(shuffle_kernel, dim3(1), dim3(threads), 0, stream, x, y, how);
    return hipGetLastError();
}
"""

LONG = HEAD + """
__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void mark_kernel(int* x, long first, long step) {
    const long i = first + (blockIdx.x * 64 + threadIdx.x) * step;
    x[i] = (int)threadIdx.x + 1;
}

extern "C" hipError_t mark(int* x, long first, long step, hipStream_t stream) {
    hipLaunchKernelGGL(mark_kernel, dim3(1), dim3(64), 0, stream, x, first, step);
    return hipGetLastError();
}
"""
