// HIP's names on gfx942 itself.
#pragma once

#define TL2HIP_DEVICE static inline __device__ __attribute__((always_inline))
#define TL2HIP_WAVE static inline __device__ __attribute__((always_inline, convergent))

#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))

hipError_t hipGetLastError();
hipError_t hipMemsetAsync(void* to, int byte, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);

template <class... Parameters, class... Arguments>
void hipLaunchKernelGGL(void (*kernel)(Parameters...), dim3 grid, dim3 block, unsigned lds, hipStream_t stream,
                        Arguments... arguments);

#define TL2HIP_INDEX(name, call_x, call_y, call_z)                                                     \
    struct tl2hip_##name {                                                                             \
        __declspec(property(get = get_x)) unsigned x;                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                  \
        static __device__ __attribute__((always_inline)) unsigned get_x() { return call_x; }           \
        static __device__ __attribute__((always_inline)) unsigned get_y() { return call_y; }           \
        static __device__ __attribute__((always_inline)) unsigned get_z() { return call_z; }           \
    };                                                                                                 \
    extern const __device__ __attribute__((weak)) tl2hip_##name name;

TL2HIP_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
             __builtin_amdgcn_workitem_id_z())
TL2HIP_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
             __builtin_amdgcn_workgroup_id_z())
TL2HIP_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
             __builtin_amdgcn_workgroup_size_z())
TL2HIP_INDEX(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
             __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
             __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
#undef TL2HIP_INDEX

TL2HIP_WAVE void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
TL2HIP_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
TL2HIP_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

TL2HIP_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
TL2HIP_WAVE unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
TL2HIP_WAVE int __any(int predicate) { return __ballot(predicate) != 0; }
TL2HIP_WAVE int __all(int predicate) { return __ballot(predicate == 0) == 0; }

// A value of any size moves in 32-bit pieces; those under 32 bits ride in one.
template <class T>
TL2HIP_WAVE T tl2hip_exchange(T value, int source) {
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned w = 0; w < sizeof(words) / 4; ++w) words[w] = __builtin_amdgcn_ds_bpermute(source << 2, words[w]);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

// ---- atomics: relaxed, visible to the whole device

#define TL2HIP_RMW(name, builtin)                                                               \
    template <class T>                                                                          \
    TL2HIP_DEVICE T name(T* at, T value) {                                                      \
        return builtin(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                  \
    }
TL2HIP_RMW(tl2hip_fetch_add, __hip_atomic_fetch_add)
TL2HIP_RMW(tl2hip_fetch_sub, __hip_atomic_fetch_sub)
TL2HIP_RMW(tl2hip_fetch_min, __hip_atomic_fetch_min)
TL2HIP_RMW(tl2hip_fetch_max, __hip_atomic_fetch_max)
TL2HIP_RMW(tl2hip_fetch_and, __hip_atomic_fetch_and)
TL2HIP_RMW(tl2hip_fetch_or, __hip_atomic_fetch_or)
TL2HIP_RMW(tl2hip_fetch_xor, __hip_atomic_fetch_xor)
TL2HIP_RMW(tl2hip_fetch_exchange, __hip_atomic_exchange)
#undef TL2HIP_RMW

template <class T>
TL2HIP_DEVICE T tl2hip_fetch_cas(T* at, T expected, T value) {
    __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
}

// ---- mathematics: only what the backend makes without a call

#define TL2HIP_MATH1(type, name) \
    TL2HIP_DEVICE type name(type x) { return __builtin_##name(x); }
#define TL2HIP_MATH2(type, name) \
    TL2HIP_DEVICE type name(type x, type y) { return __builtin_##name(x, y); }
TL2HIP_MATH1(float, expf)
TL2HIP_MATH1(float, exp2f)
TL2HIP_MATH1(float, logf)
TL2HIP_MATH1(float, log2f)
TL2HIP_MATH1(float, log10f)
TL2HIP_MATH2(float, fmodf)
TL2HIP_DEVICE float ldexpf(float x, int by) { return __builtin_ldexpf(x, by); }
TL2HIP_DEVICE double ldexp(double x, int by) { return __builtin_ldexp(x, by); }
#undef TL2HIP_MATH1
#undef TL2HIP_MATH2
