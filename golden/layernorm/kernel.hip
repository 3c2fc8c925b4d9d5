// Written by tl2hip from kernel.py for gfx942.
//
// Each row of X less its mean, over its standard deviation, times weight, plus bias.
//
// Where each loop went:
//   t  grid, a wave for each row of up to 512, else a block  parallel; its inner loops run along memory
//   d  lanes, 4 elements at a time in registers              reduction: a tree over the lanes
//   d  lanes, 4 elements at a time in registers              reduction: a tree over the lanes
//   d  lanes, 4 elements at a time in registers              parallel

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

// The correctly rounded square root.
static __device__ inline float sqrt_f32(float x) {
    return __builtin_sqrtf(x);
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

// The sum over all threads of a block; every thread gets it. All threads must be here.
// One barrier is enough for LDS that is used once: `parts` is free again behind the next one.
template <int threads>
static inline __device__ float row_sum_f32(float x, float *parts, unsigned int thread)
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
    return x;
}

// a block for each t, piece by piece
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(512, 512))) void
layernorm_kernel_long(const float *X, const float *__restrict__ weight, const float *__restrict__ bias,
                      float *Y, i64 t_start, i64 D, float eps)
{
    __shared__ float lds_values_f32[8];
    __shared__ float lds_values_f32_2[8];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int first = thread_x * 4;
    // kernel.py:15: for t in range(T):
    const i64 t = t_start + block_x;
    // kernel.py:16: mean = X[t, :].mean()
    float total = 0.0f;
    float total_part = -0.0f;
    for (i64 piece = first; piece < D / 4096 * 4096; piece += 4096) {
        f32x4 X_row[2];
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {  // all loads of a piece are under way together
            X_row[v] = *(const f32x4_any *)&X[t * D + piece + v * 2048];
        }
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                total_part += X_row[v][e];
            }
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = D / 4096 * 4096 + first; piece < D - 3; piece += 2048) {
        f32x4 X_row[2];
        X_row[0] = *(const f32x4_any *)&X[t * D + piece];
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            total_part += X_row[0][e];
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 d = D / 4 * 4 + thread_x; d < D; d += 512) {  // behind the last whole vector
        total_part += X[t * D + d];
    }
    total_part = row_sum_f32<512>(total_part, lds_values_f32, threadIdx.x);
    total += total_part;
    float mean = total / (float)D;
    // kernel.py:18: variance = (centred * centred).mean()
    float total_2 = 0.0f;
    float total_2_part = -0.0f;
    for (i64 piece = first; piece < D / 4096 * 4096; piece += 4096) {
        f32x4 X_row[2];
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {  // all loads of a piece are under way together
            X_row[v] = *(const f32x4_any *)&X[t * D + piece + v * 2048];
        }
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                total_2_part = __builtin_fmaf(X_row[v][e] - mean, X_row[v][e] - mean, total_2_part);
            }
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = D / 4096 * 4096 + first; piece < D - 3; piece += 2048) {
        f32x4 X_row[2];
        X_row[0] = *(const f32x4_any *)&X[t * D + piece];
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            total_2_part = __builtin_fmaf(X_row[0][e] - mean, X_row[0][e] - mean, total_2_part);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 d = D / 4 * 4 + thread_x; d < D; d += 512) {  // behind the last whole vector
        total_2_part = __builtin_fmaf(X[t * D + d] - mean, X[t * D + d] - mean, total_2_part);
    }
    total_2_part = row_sum_f32<512>(total_2_part, lds_values_f32_2, threadIdx.x);
    total_2 += total_2_part;
    float variance = total_2 / (float)D;
    // kernel.py:19: Y[t, :] = centred / np.sqrt(variance + eps) * weight + bias
    float value = sqrt_f32(variance + eps);
    for (i64 piece = first; piece < D / 4096 * 4096; piece += 4096) {
        f32x4 X_row[2];
        f32x4 weight_row[2];
        f32x4 bias_row[2];
        f32x4 Y_row[2];
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {  // all loads of a piece are under way together
            X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[t * D + piece + v * 2048]);
            weight_row[v] = *(const f32x4_any *)&weight[piece + v * 2048];
            bias_row[v] = *(const f32x4_any *)&bias[piece + v * 2048];
        }
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                Y_row[v][e] = (X_row[v][e] - mean) / value * weight_row[v][e] + bias_row[v][e];
            }
            __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[t * D + piece + v * 2048]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = D / 4096 * 4096 + first; piece < D - 3; piece += 2048) {
        f32x4 X_row[2];
        f32x4 weight_row[2];
        f32x4 bias_row[2];
        f32x4 Y_row[2];
        X_row[0] = __builtin_nontemporal_load((const f32x4_any *)&X[t * D + piece]);
        weight_row[0] = *(const f32x4_any *)&weight[piece];
        bias_row[0] = *(const f32x4_any *)&bias[piece];
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            Y_row[0][e] = (X_row[0][e] - mean) / value * weight_row[0][e] + bias_row[0][e];
        }
        __builtin_nontemporal_store(Y_row[0], (f32x4_any *)&Y[t * D + piece]);
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 d = D / 4 * 4 + thread_x; d < D; d += 512) {  // behind the last whole vector
        Y[t * D + d] = (X[t * D + d] - mean) / value * weight[d] + bias[d];
    }
}

// a wave for each t, whose row stays in registers
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
layernorm_kernel_wave(const float *X, const float *__restrict__ weight, const float *__restrict__ bias,
                      float *Y, i64 t_start, i64 T, i64 D, float eps)
{
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int wave = __builtin_amdgcn_readfirstlane(thread_x / 64);
    const int lane = thread_x % 64;
    const int first = lane * 4;
    // kernel.py:15: for t in range(T):
    const i64 t = t_start + block_x * 4 + wave;
    if (t < T) {  // one row a wave
        f32x4 X_row[2];
        f32x4 weight_row[2];
        f32x4 bias_row[2];
        f32x4 Y_row[2];
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {  // the whole row: all loads are under way together
            if (first + v * 256 < D) {
                X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[t * D + first + v * 256]);
                weight_row[v] = *(const f32x4_any *)&weight[first + v * 256];
                bias_row[v] = *(const f32x4_any *)&bias[first + v * 256];
            }
        }
        // kernel.py:16: mean = X[t, :].mean()
        float total = 0.0f;
        float total_part = -0.0f;
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            if (first + v * 256 < D) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    total_part += X_row[v][e];
                }
            }
        }
        total_part = wave_sum_f32(total_part);
        total += total_part;
        float mean = total / (float)D;
        // kernel.py:18: variance = (centred * centred).mean()
        float total_2 = 0.0f;
        float total_2_part = -0.0f;
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            if (first + v * 256 < D) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    total_2_part = __builtin_fmaf(X_row[v][e] - mean, X_row[v][e] - mean, total_2_part);
                }
            }
        }
        total_2_part = wave_sum_f32(total_2_part);
        total_2 += total_2_part;
        float variance = total_2 / (float)D;
        // kernel.py:19: Y[t, :] = centred / np.sqrt(variance + eps) * weight + bias
        float value = sqrt_f32(variance + eps);
        #pragma unroll 2
        for (int v = 0; v < 2; ++v) {
            if (first + v * 256 < D) {
                #pragma unroll 4
                for (int e = 0; e < 4; ++e) {
                    Y_row[v][e] = (X_row[v][e] - mean) / value * weight_row[v][e] + bias_row[v][e];
                }
                __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[t * D + first + v * 256]);
            }
        }
    }
}

// a block for each t, whose row stays in registers
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(512, 512))) void
layernorm_kernel_block(const float *X, const float *__restrict__ weight, const float *__restrict__ bias,
                       float *Y, i64 t_start, i64 D, float eps)
{
    __shared__ float lds_values_f32[8];
    __shared__ float lds_values_f32_2[8];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int first = thread_x * 4;
    // kernel.py:15: for t in range(T):
    const i64 t = t_start + block_x;
    f32x4 X_row[2];
    f32x4 weight_row[2];
    f32x4 bias_row[2];
    f32x4 Y_row[2];
    #pragma unroll 2
    for (int v = 0; v < 2; ++v) {  // the whole row: all loads are under way together
        if (first + v * 2048 < D) {
            X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[t * D + first + v * 2048]);
            weight_row[v] = *(const f32x4_any *)&weight[first + v * 2048];
            bias_row[v] = *(const f32x4_any *)&bias[first + v * 2048];
        }
    }
    // kernel.py:16: mean = X[t, :].mean()
    float total = 0.0f;
    float total_part = -0.0f;
    #pragma unroll 2
    for (int v = 0; v < 2; ++v) {
        if (first + v * 2048 < D) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                total_part += X_row[v][e];
            }
        }
    }
    total_part = row_sum_f32<512>(total_part, lds_values_f32, threadIdx.x);
    total += total_part;
    float mean = total / (float)D;
    // kernel.py:18: variance = (centred * centred).mean()
    float total_2 = 0.0f;
    float total_2_part = -0.0f;
    #pragma unroll 2
    for (int v = 0; v < 2; ++v) {
        if (first + v * 2048 < D) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                total_2_part = __builtin_fmaf(X_row[v][e] - mean, X_row[v][e] - mean, total_2_part);
            }
        }
    }
    total_2_part = row_sum_f32<512>(total_2_part, lds_values_f32_2, threadIdx.x);
    total_2 += total_2_part;
    float variance = total_2 / (float)D;
    // kernel.py:19: Y[t, :] = centred / np.sqrt(variance + eps) * weight + bias
    float value = sqrt_f32(variance + eps);
    #pragma unroll 2
    for (int v = 0; v < 2; ++v) {
        if (first + v * 2048 < D) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                Y_row[v][e] = (X_row[v][e] - mean) / value * weight_row[v][e] + bias_row[v][e];
            }
            __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[t * D + first + v * 2048]);
        }
    }
}

#ifndef __HIPCC_RTC__
// x // y rounded down; 0 for y = 0, and the least value // -1 wraps to itself.
static __host__ __device__ inline long long floordiv_i64(long long x, long long y) {
    if (y == 0) return 0;
    if (y == -1) return (long long)(0u - (unsigned long long)x);
    const long long quotient = (long long)(x / y), rest = (long long)(x - quotient * y);
    return (long long)(quotient - (rest != 0 && (rest < 0) != (y < 0)));
}

static inline __host__ __device__ i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }

// Whether two ranges of memory share a byte; an empty range shares none.
static bool overlap(const void *a, i64 bytes_a, const void *b, i64 bytes_b)
{
    return bytes_a > 0 && bytes_b > 0 && (size_t)a < (size_t)b + bytes_b && (size_t)b < (size_t)a + bytes_a;
}

// Launches layernorm on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t layernorm(const float *X, const float *weight, const float *bias, float *Y, float eps,
                                i64 T, i64 D, hipStream_t stream)
{
    if (T < 0 || D < 0)
        return hipErrorInvalidValue;
    const i64 X_bytes = T * D * 4;
    const i64 Y_bytes = T * D * 4;
    const i64 weight_bytes = D * 4;
    const i64 bias_bytes = D * 4;
    if (((const void *)X != Y && overlap(X, X_bytes, Y, Y_bytes)) ||
        overlap(weight, weight_bytes, Y, Y_bytes) ||
        overlap(bias, bias_bytes, Y, Y_bytes))
        return hipErrorInvalidValue;
    if (D % 4 == 0 && D <= 512) {
        for (i64 t_start = 0; t_start < T; t_start += 4194304) {
            if (const i64 grid_x = min_i64(floordiv_i64(T - t_start + 3, 4), 1048576); grid_x > 0)
                hipLaunchKernelGGL(layernorm_kernel_wave, dim3((unsigned int)grid_x), dim3(256), 0, stream, X,
                                   weight, bias, Y, t_start, T, D, eps);
        }
    } else if (D % 4 == 0 && D <= 4096) {
        for (i64 t_start = 0; t_start < T; t_start += 1048576) {
            if (const i64 grid_x = min_i64(T - t_start, 1048576); grid_x > 0)
                hipLaunchKernelGGL(layernorm_kernel_block, dim3((unsigned int)grid_x), dim3(512), 0, stream,
                                   X, weight, bias, Y, t_start, D, eps);
        }
    } else {
        for (i64 t_start = 0; t_start < T; t_start += 1048576) {
            if (const i64 grid_x = min_i64(T - t_start, 1048576); grid_x > 0)
                hipLaunchKernelGGL(layernorm_kernel_long, dim3((unsigned int)grid_x), dim3(512), 0, stream, X,
                                   weight, bias, Y, t_start, D, eps);
        }
    }
    return hipGetLastError();
}
#endif
