// Written by tl2hip from kernel.py for gfx942.
//
// out = softmax(scale * Q @ K.T) @ V for each head.
//
// Where each loop went:
//   h  grid y, one a block     parallel; its inner loops run along memory
//   i  grid x, one a block     parallel; its inner loops run along memory
//   j  serial                  parallel; the axes around it fill the machine
//   d  256 lanes of the block  reduction: a tree over the lanes
//   j  256 lanes of the block  reduction: a tree over the lanes
//   j  256 lanes of the block  reduction: a tree over the lanes
//   d  256 lanes of the block  parallel
//   j  serial                  a reduction; the axes around it fill the machine

#ifndef __HIPCC_RTC__
#include <hip/hip_runtime.h>
#endif

#pragma clang fp contract(off)

using i64 = long long;
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));

// e**x = 2**n * 2**f. n is x*log2(e) to the nearest integer, held where the result is 0 or infinite anyway;
// f is what is left, and v_exp_f32 its power of 2, within one unit in the last place.
static __device__ inline float exp_f32(float x) {
    const float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(x * 1.442695f, -160.0f), 130.0f));
    const float f = __builtin_fmaf(x, 1.925963e-08f, __builtin_fmaf(x, 1.442695f, -n));
    return __builtin_ldexpf(__builtin_amdgcn_exp2f(f), (int)n);
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

static inline __host__ __device__ float py_max_f32(float a, float b) { return b > a ? b : a; }

// The greatest value over the 64 lanes of a wave; every lane gets it. All lanes must be here.
static inline __device__ float wave_py_max_f32(float x)
{
    float y;
    y = from_lane<0xb1>(x);   // quad_perm: the neighbour
    x = py_max_f32(x, y);
    y = from_lane<0x4e>(x);   // quad_perm: two lanes on
    x = py_max_f32(x, y);
    y = from_lane<0x141>(x);  // row_half_mirror: the other four of eight
    x = py_max_f32(x, y);
    y = from_lane<0x140>(x);  // row_mirror: the other eight of sixteen
    x = py_max_f32(x, y);
    y = from_lane<0x142>(x);  // row_bcast15: the row before
    x = py_max_f32(x, y);
    y = from_lane<0x143>(x);  // row_bcast31: the first half of the wave
    x = py_max_f32(x, y);
    return last_lane(x);
}

// The greatest value over all threads of a block; every thread gets it. All threads must be here.
template <int threads>
static inline __device__ float block_py_max_f32(float x, float *parts, unsigned int thread)
{
    x = wave_py_max_f32(x);
    if (thread % 64 == 0)
        parts[thread / 64] = x;
    __syncthreads();
    x = parts[0];
    for (int wave = 1; wave < threads / 64; ++wave) {
        const float y = parts[wave];
        x = py_max_f32(x, y);
    }
    __syncthreads();
    return x;
}

// a block for each h, i
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
attention_naive_kernel(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                       const _Float16 *__restrict__ V, _Float16 *__restrict__ out, float *__restrict__ P,
                       i64 H, i64 S, i64 T, i64 D, float scale)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:22: for h in range(H):
    for (i64 h = block_y; h < H; h += blocks_y) {  // one h a block
        // kernel.py:23: for i in range(S):
        for (i64 i = block_x; i < S; i += blocks_x) {  // one i a block
            // kernel.py:24: for j in range(T):
            for (i64 j = 0; j < T; ++j) {
                // kernel.py:25: s = f32(0)
                float s = 0.0f;
                float s_part = -0.0f;
                // kernel.py:26: for d in range(D):
                for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                    // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
                    s_part = __builtin_fmaf((float)Q[(h * S + i) * D + d], (float)K[(h * T + j) * D + d],
                                            s_part);
                }
                s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
                s += s_part;
                // kernel.py:28: P[h, i, j] = s * scale
                if (thread_x == 0) {  // one lane stores
                    P[(h * S + i) * T + j] = s * scale;
                }
                __syncthreads();
            }
            // kernel.py:29: m = f32(-math.inf)
            float m = -__builtin_inff();
            __syncthreads();
            float m_part = -__builtin_inff();
            // kernel.py:30: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:31: if P[h, i, j] > m:
                m_part = py_max_f32(m_part, P[(h * S + i) * T + j]);
            }
            m_part = block_py_max_f32<256>(m_part, lds_values_f32, threadIdx.x);
            m = py_max_f32(m, m_part);
            // kernel.py:33: total = f32(0)
            float total = 0.0f;
            float total_part = -0.0f;
            // kernel.py:34: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                total_part += exp_f32(P[(h * S + i) * T + j] - m);
            }
            total_part = block_sum_f32<256>(total_part, lds_values_f32, threadIdx.x);
            total += total_part;
            // kernel.py:36: for d in range(D):
            for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                // kernel.py:37: o = f32(0)
                float o = 0.0f;
                // kernel.py:38: for j in range(T):
                for (i64 j = 0; j < T; ++j) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    o = __builtin_fmaf(exp_f32(P[(h * S + i) * T + j] - m), (float)V[(h * T + j) * D + d], o);
                }
                // kernel.py:40: out[h, i, d] = f16(o / total)
                out[(h * S + i) * D + d] = (_Float16)(o / total);
            }
        }
    }
}

// the same by vectors
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
attention_naive_kernel_aligned(const _Float16 *__restrict__ Q, const _Float16 *__restrict__ K,
                               const _Float16 *__restrict__ V, _Float16 *__restrict__ out,
                               float *__restrict__ P, i64 H, i64 S, i64 T, i64 D, float scale)
{
    __shared__ float lds_values_f32[4];
    const i64 block_x = blockIdx.x;
    const i64 block_y = blockIdx.y;
    const i64 blocks_x = gridDim.x;
    const i64 blocks_y = gridDim.y;
    const i64 thread_x = threadIdx.x;
    // kernel.py:22: for h in range(H):
    for (i64 h = block_y; h < H; h += blocks_y) {  // one h a block
        // kernel.py:23: for i in range(S):
        for (i64 i = block_x; i < S; i += blocks_x) {  // one i a block
            // kernel.py:24: for j in range(T):
            for (i64 j = 0; j < T; ++j) {
                // kernel.py:25: s = f32(0)
                float s = 0.0f;
                float s_part = -0.0f;
                // kernel.py:26: for d in range(D):
                for (i64 d_vector = thread_x; d_vector < D / 8; d_vector += 256) {  // d over 256 lanes
                    const i64 d_first = d_vector * 8;
                    f16x8 Q_vector = *(const f16x8 *)&Q[(h * S + i) * D + d_first];
                    f16x8 K_vector = *(const f16x8 *)&K[(h * T + j) * D + d_first];
                    #pragma unroll 8
                    for (i64 e = 0; e < 8; ++e) {
                        // kernel.py:27: s += f32(Q[h, i, d]) * f32(K[h, j, d])
                        s_part = __builtin_fmaf((float)Q_vector[e], (float)K_vector[e], s_part);
                    }
                }
                s_part = block_sum_f32<256>(s_part, lds_values_f32, threadIdx.x);
                s += s_part;
                // kernel.py:28: P[h, i, j] = s * scale
                if (thread_x == 0) {  // one lane stores
                    P[(h * S + i) * T + j] = s * scale;
                }
                __syncthreads();
            }
            // kernel.py:29: m = f32(-math.inf)
            float m = -__builtin_inff();
            __syncthreads();
            float m_part = -__builtin_inff();
            // kernel.py:30: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:31: if P[h, i, j] > m:
                m_part = py_max_f32(m_part, P[(h * S + i) * T + j]);
            }
            m_part = block_py_max_f32<256>(m_part, lds_values_f32, threadIdx.x);
            m = py_max_f32(m, m_part);
            // kernel.py:33: total = f32(0)
            float total = 0.0f;
            float total_part = -0.0f;
            // kernel.py:34: for j in range(T):
            for (i64 j = thread_x; j < T; j += 256) {  // j over 256 lanes
                // kernel.py:35: total += math.exp(P[h, i, j] - m)
                total_part += exp_f32(P[(h * S + i) * T + j] - m);
            }
            total_part = block_sum_f32<256>(total_part, lds_values_f32, threadIdx.x);
            total += total_part;
            // kernel.py:36: for d in range(D):
            for (i64 d = thread_x; d < D; d += 256) {  // d over 256 lanes
                // kernel.py:37: o = f32(0)
                float o = 0.0f;
                // kernel.py:38: for j in range(T):
                for (i64 j = 0; j < T; ++j) {
                    // kernel.py:39: o += math.exp(P[h, i, j] - m) * f32(V[h, j, d])
                    o = __builtin_fmaf(exp_f32(P[(h * S + i) * T + j] - m), (float)V[(h * T + j) * D + d], o);
                }
                // kernel.py:40: out[h, i, d] = f16(o / total)
                out[(h * S + i) * D + d] = (_Float16)(o / total);
            }
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

// Bytes of workspace that attention_naive needs for these sizes; its parts start at multiples of 256.
extern "C" size_t attention_naive_workspace(i64 H, i64 S, i64 D, i64 T)
{
    return (H * S * T * 4 + 255) / 256 * 256;
}

// Launches attention_naive on a stream. Pointers are to device memory; sizes count elements.
extern "C" hipError_t attention_naive(const _Float16 *Q, const _Float16 *K, const _Float16 *V, _Float16 *out,
                                      float scale, i64 H, i64 S, i64 D, i64 T, void *workspace,
                                      hipStream_t stream)
{
    if (H < 0 || S < 0 || D < 0 || T < 0)
        return hipErrorInvalidValue;
    const i64 Q_bytes = H * S * D * 2;
    const i64 out_bytes = H * S * D * 2;
    const i64 K_bytes = H * T * D * 2;
    const i64 V_bytes = H * T * D * 2;
    if (overlap(Q, Q_bytes, out, out_bytes) ||
        overlap(K, K_bytes, out, out_bytes) ||
        overlap(V, V_bytes, out, out_bytes))
        return hipErrorInvalidValue;
    if (workspace == nullptr && attention_naive_workspace(H, S, D, T) > 0)
        return hipErrorInvalidValue;
    float *P = (float *)workspace;
    if ((size_t)Q % 16 == 0 && (size_t)K % 16 == 0 && D % 8 == 0) {
        if (const i64 grid_x = min_i64(S, 1048576), grid_y = min_i64(H, 65535); grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(attention_naive_kernel_aligned,
                               dim3((unsigned int)grid_x, (unsigned int)grid_y), dim3(256), 0, stream, Q, K,
                               V, out, P, H, S, T, D, scale);
    } else {
        if (const i64 grid_x = min_i64(S, 1048576), grid_y = min_i64(H, 65535); grid_x > 0 && grid_y > 0)
            hipLaunchKernelGGL(attention_naive_kernel, dim3((unsigned int)grid_x, (unsigned int)grid_y),
                               dim3(256), 0, stream, Q, K, V, out, P, H, S, T, D, scale);
    }
    return hipGetLastError();
}
#endif
