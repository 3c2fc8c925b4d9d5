// Written by tl2hip from kernel.py for gfx942.
//
// Each row of Y is softmax(row of X); the row's maximum is taken out first.
//
// Where each loop went:
//   i  grid, a wave for each row of up to 1024, else a block  parallel; its inner loops run along memory
//   j  lanes, 4 elements at a time in registers               reduction: a tree over the lanes
//   j  lanes, 4 elements at a time in registers               reduction: a tree over the lanes
//   j  lanes, 4 elements at a time in registers               parallel

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4_any __attribute__((ext_vector_type(4), aligned(4)));

// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
}

static inline __host__ __device__ float greatest_f32(float a, float b) { return __builtin_fmaxf(a, b); }

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

// The greatest value, NaN left out, over the 64 lanes of a wave; every lane gets it. All lanes must be here.
static inline __device__ float wave_greatest_f32(float x)
{
    float y;
    y = from_lane<0xb1>(x);   // quad_perm: the neighbour
    x = greatest_f32(x, y);
    y = from_lane<0x4e>(x);   // quad_perm: two lanes on
    x = greatest_f32(x, y);
    y = from_lane<0x141>(x);  // row_half_mirror: the other four of eight
    x = greatest_f32(x, y);
    y = from_lane<0x140>(x);  // row_mirror: the other eight of sixteen
    x = greatest_f32(x, y);
    y = from_lane<0x142>(x);  // row_bcast15: the row before
    x = greatest_f32(x, y);
    y = from_lane<0x143>(x);  // row_bcast31: the first half of the wave
    x = greatest_f32(x, y);
    return last_lane(x);
}

// The greatest value, NaN left out, over all threads of a block; every thread gets it. All threads must be here.
// One barrier is enough for LDS that is used once: `parts` is free again behind the next one.
template <int threads>
static inline __device__ float row_greatest_f32(float x, float *parts, unsigned int thread)
{
    x = wave_greatest_f32(x);
    if (thread % 64 == 0)
        parts[thread / 64] = x;
    __syncthreads();
    x = parts[0];
    for (int wave = 1; wave < threads / 64; ++wave) {
        const float y = parts[wave];
        x = greatest_f32(x, y);
    }
    return x;
}

static inline __host__ __device__ float py_max_f32(float a, float b) { return b > a ? b : a; }

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

// a block for each i, piece by piece
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(512, 512))) void
softmax_kernel_long(const float *X, float *Y, i64 i_start, i64 N)
{
    __shared__ float lds_values_f32[8];
    __shared__ float lds_values_f32_2[8];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int first = thread_x * 4;
    // kernel.py:14: for i in range(M):
    const i64 i = i_start + block_x;
    // kernel.py:15: m = f32(-math.inf)
    float m = -__builtin_inff();
    float m_part = -__builtin_inff();
    // kernel.py:16: for j in range(N):
    for (i64 piece = first; piece < N / 8192 * 8192; piece += 8192) {
        f32x4 X_row[4];
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {  // all loads of a piece are under way together
            X_row[v] = *(const f32x4_any *)&X[i * N + piece + v * 2048];
        }
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:17: m = max(m, X[i, j])
                m_part = greatest_f32(m_part, X_row[v][e]);
            }
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = N / 8192 * 8192 + first; piece < N - 3; piece += 2048) {
        f32x4 X_row[4];
        X_row[0] = *(const f32x4_any *)&X[i * N + piece];
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            m_part = greatest_f32(m_part, X_row[0][e]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 j = N / 4 * 4 + thread_x; j < N; j += 512) {  // behind the last whole vector
        m_part = greatest_f32(m_part, X[i * N + j]);
    }
    m_part = row_greatest_f32<512>(m_part, lds_values_f32, threadIdx.x);
    m = py_max_f32(m, m_part);
    // kernel.py:18: total = f32(0)
    float total = 0.0f;
    float total_part = -0.0f;
    // kernel.py:19: for j in range(N):
    for (i64 piece = first; piece < N / 8192 * 8192; piece += 8192) {
        f32x4 X_row[4];
        f32x4 Y_row[4];
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {  // all loads of a piece are under way together
            X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[i * N + piece + v * 2048]);
        }
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:20: Y[i, j] = math.exp(X[i, j] - m)
                Y_row[v][e] = exp_f32(X_row[v][e] - m);
                // kernel.py:21: total += Y[i, j]
                total_part += Y_row[v][e];
            }
            *(f32x4_any *)&Y[i * N + piece + v * 2048] = Y_row[v];
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = N / 8192 * 8192 + first; piece < N - 3; piece += 2048) {
        f32x4 X_row[4];
        f32x4 Y_row[4];
        X_row[0] = __builtin_nontemporal_load((const f32x4_any *)&X[i * N + piece]);
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            Y_row[0][e] = exp_f32(X_row[0][e] - m);
            total_part += Y_row[0][e];
        }
        *(f32x4_any *)&Y[i * N + piece] = Y_row[0];
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 j = N / 4 * 4 + thread_x; j < N; j += 512) {  // behind the last whole vector
        Y[i * N + j] = exp_f32(X[i * N + j] - m);
        total_part += Y[i * N + j];
    }
    total_part = row_sum_f32<512>(total_part, lds_values_f32_2, threadIdx.x);
    total += total_part;
    // kernel.py:22: for j in range(N):
    for (i64 piece = first; piece < N / 8192 * 8192; piece += 8192) {
        f32x4 Y_row[4];
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {  // all loads of a piece are under way together
            Y_row[v] = __builtin_nontemporal_load((const f32x4_any *)&Y[i * N + piece + v * 2048]);
        }
        #pragma unroll 4
        for (int v = 0; v < 4; ++v) {
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:23: Y[i, j] /= total
                Y_row[v][e] = Y_row[v][e] / total;
            }
            __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[i * N + piece + v * 2048]);
        }
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 piece = N / 8192 * 8192 + first; piece < N - 3; piece += 2048) {
        f32x4 Y_row[4];
        Y_row[0] = __builtin_nontemporal_load((const f32x4_any *)&Y[i * N + piece]);
        #pragma unroll 4
        for (int e = 0; e < 4; ++e) {
            Y_row[0][e] = Y_row[0][e] / total;
        }
        __builtin_nontemporal_store(Y_row[0], (f32x4_any *)&Y[i * N + piece]);
    }
    #pragma clang loop unroll(disable) vectorize(disable)
    for (i64 j = N / 4 * 4 + thread_x; j < N; j += 512) {  // behind the last whole vector
        Y[i * N + j] = Y[i * N + j] / total;
    }
}

// a wave for each i, whose row stays in registers
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void
softmax_kernel_wave(const float *X, float *Y, i64 i_start, i64 N)
{
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int first = thread_x * 4;
    // kernel.py:14: for i in range(M):
    const i64 i = i_start + block_x;
    f32x4 X_row[4];
    f32x4 Y_row[4];
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {  // the whole row: all loads are under way together
        if (first + v * 256 < N) {
            X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[i * N + first + v * 256]);
        }
    }
    // kernel.py:15: m = f32(-math.inf)
    float m = -__builtin_inff();
    float m_part = -__builtin_inff();
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 256 < N) {
            // kernel.py:16: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:17: m = max(m, X[i, j])
                m_part = greatest_f32(m_part, X_row[v][e]);
            }
        }
    }
    m_part = wave_greatest_f32(m_part);
    m = py_max_f32(m, m_part);
    // kernel.py:18: total = f32(0)
    float total = 0.0f;
    float total_part = -0.0f;
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 256 < N) {
            // kernel.py:19: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:20: Y[i, j] = math.exp(X[i, j] - m)
                Y_row[v][e] = exp_f32(X_row[v][e] - m);
                // kernel.py:21: total += Y[i, j]
                total_part += Y_row[v][e];
            }
        }
    }
    total_part = wave_sum_f32(total_part);
    total += total_part;
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 256 < N) {
            // kernel.py:22: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:23: Y[i, j] /= total
                Y_row[v][e] = Y_row[v][e] / total;
            }
            __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[i * N + first + v * 256]);
        }
    }
}

// a block for each i, whose row stays in registers
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
softmax_kernel_block(const float *X, float *Y, i64 i_start, i64 N)
{
    __shared__ float lds_values_f32[4];
    __shared__ float lds_values_f32_2[4];
    const i64 block_x = blockIdx.x;
    const i64 thread_x = threadIdx.x;
    const int first = thread_x * 4;
    // kernel.py:14: for i in range(M):
    const i64 i = i_start + block_x;
    f32x4 X_row[4];
    f32x4 Y_row[4];
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {  // the whole row: all loads are under way together
        if (first + v * 1024 < N) {
            X_row[v] = __builtin_nontemporal_load((const f32x4_any *)&X[i * N + first + v * 1024]);
        }
    }
    // kernel.py:15: m = f32(-math.inf)
    float m = -__builtin_inff();
    float m_part = -__builtin_inff();
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 1024 < N) {
            // kernel.py:16: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:17: m = max(m, X[i, j])
                m_part = greatest_f32(m_part, X_row[v][e]);
            }
        }
    }
    m_part = row_greatest_f32<256>(m_part, lds_values_f32, threadIdx.x);
    m = py_max_f32(m, m_part);
    // kernel.py:18: total = f32(0)
    float total = 0.0f;
    float total_part = -0.0f;
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 1024 < N) {
            // kernel.py:19: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:20: Y[i, j] = math.exp(X[i, j] - m)
                Y_row[v][e] = exp_f32(X_row[v][e] - m);
                // kernel.py:21: total += Y[i, j]
                total_part += Y_row[v][e];
            }
        }
    }
    total_part = row_sum_f32<256>(total_part, lds_values_f32_2, threadIdx.x);
    total += total_part;
    #pragma unroll 4
    for (int v = 0; v < 4; ++v) {
        if (first + v * 1024 < N) {
            // kernel.py:22: for j in range(N):
            #pragma unroll 4
            for (int e = 0; e < 4; ++e) {
                // kernel.py:23: Y[i, j] /= total
                Y_row[v][e] = Y_row[v][e] / total;
            }
            __builtin_nontemporal_store(Y_row[v], (f32x4_any *)&Y[i * N + first + v * 1024]);
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

// Launches softmax on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t softmax(const float *X, float *Y, i64 M, i64 N, hipStream_t stream)
{
    if (M < 0 || N < 0)
        return hipErrorInvalidValue;
    const i64 X_bytes = M * N * 4;
    const i64 Y_bytes = M * N * 4;
    if ((const void *)X != Y && overlap(X, X_bytes, Y, Y_bytes))
        return hipErrorInvalidValue;
    if (N % 4 == 0 && N <= 1024) {
        for (i64 i_start = 0; i_start < M; i_start += 1048576) {
            if (const i64 grid_x = min_i64(M - i_start, 1048576); grid_x > 0)
                hipLaunchKernelGGL(softmax_kernel_wave, dim3((unsigned int)grid_x), dim3(64), 0, stream, X, Y,
                                   i_start, N);
        }
    } else if (N % 4 == 0 && N <= 4096) {
        for (i64 i_start = 0; i_start < M; i_start += 1048576) {
            if (const i64 grid_x = min_i64(M - i_start, 1048576); grid_x > 0)
                hipLaunchKernelGGL(softmax_kernel_block, dim3((unsigned int)grid_x), dim3(256), 0, stream, X,
                                   Y, i_start, N);
        }
    } else {
        for (i64 i_start = 0; i_start < M; i_start += 1048576) {
            if (const i64 grid_x = min_i64(M - i_start, 1048576); grid_x > 0)
                hipLaunchKernelGGL(softmax_kernel_long, dim3((unsigned int)grid_x), dim3(512), 0, stream, X,
                                   Y, i_start, N);
        }
    }
    return hipGetLastError();
}
#endif
