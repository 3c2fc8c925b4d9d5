// HIP's names on the emulated compute unit: threads are fibers, and every wave operation is a meeting of its lanes.
//
// Wrappers are inlined and carry no line of their own, so that a finding names the line of the printed text.
#pragma once

#define TL2HIP_NOLINE __attribute__((always_inline, nodebug))
#define TL2HIP_DEVICE static inline TL2HIP_NOLINE
#define TL2HIP_WAVE static inline TL2HIP_NOLINE
#define TL2HIP_MEETING __attribute__((convergent, nomerge, noinline))
#define TL2HIP_UNSEEN __attribute__((no_sanitize("thread", "undefined")))

#define __launch_bounds__(threads, ...) __attribute__((TL2HIP_THREADS(1, threads)))
// The name of a kernel's section tells the runtime the block sizes that the kernel was compiled for.
#define amdgpu_flat_work_group_size(least, most) TL2HIP_THREADS(least, most)
#define TL2HIP_THREADS(least, most) section("tl2hip_threads_" #least "_" #most)
#define amdgpu_waves_per_eu(...)
#define amdgpu_num_vgpr(...)

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

// ---- what the runtime gives (runtime/*.cpp)

extern "C" {
void tl2hip_launch(const void* kernel, const char* name, void (*body)(const void*), const void* arguments,
                   const unsigned* grid, const unsigned* block, unsigned lds, void* site);
void tl2hip_launch_machine(const char* name, const void* arguments, unsigned bytes, const unsigned* grid,
                           const unsigned* block, unsigned lds, void* site);
hipError_t hipGetLastError();
hipError_t hipMemsetAsync(void* to, int byte, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(void* to, void* from, size_t bytes, hipStream_t stream);

__attribute__((const)) unsigned tl2hip_thread(int axis);
__attribute__((const)) unsigned tl2hip_block(int axis);
__attribute__((const)) unsigned tl2hip_block_size(int axis);
__attribute__((const)) unsigned tl2hip_grid_size(int axis);
__attribute__((const)) unsigned tl2hip_lane();

TL2HIP_MEETING void tl2hip_syncthreads();
TL2HIP_MEETING void tl2hip_s_barrier();
TL2HIP_MEETING void tl2hip_wave_barrier();
TL2HIP_MEETING unsigned long tl2hip_exchange_bits(unsigned long value, int source);
TL2HIP_MEETING unsigned tl2hip_permute_bits(unsigned value, int target);
TL2HIP_MEETING unsigned tl2hip_dpp(unsigned old, unsigned value, int control, int rows, int banks, bool zero);
TL2HIP_MEETING unsigned tl2hip_swizzle(unsigned value, int pattern);
TL2HIP_MEETING unsigned long tl2hip_vote(bool predicate);
TL2HIP_MEETING void tl2hip_mfma(int kind, const void* a, const void* b, const void* c, void* d, void* site);
void tl2hip_fence(int order);

// The place of an atomic is checked first; the value then moves unseen by the race detector.
void tl2hip_atomic_access(void* at, unsigned bytes);
unsigned long tl2hip_peek(const void* at, unsigned bytes);
void tl2hip_poke(void* at, unsigned bytes, unsigned long bits);
void tl2hip_buffer_load(void* to, const void* base, unsigned records, unsigned voffset, unsigned soffset,
                        unsigned bytes);
void tl2hip_buffer_store(const void* from, void* base, unsigned records, unsigned voffset, unsigned soffset,
                         unsigned bytes);

float expf(float);
float exp2f(float);
float logf(float);
float log2f(float);
float log10f(float);
float fmodf(float, float);
float ldexpf(float, int);
double ldexp(double, int);
}

// ---- launching

extern "C" {
extern __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern __attribute__((visibility("hidden"))) const char _end[];
extern __attribute__((weak, visibility("hidden"))) char __start_tl2hip_lds[];
extern __attribute__((weak, visibility("hidden"))) char __stop_tl2hip_lds[];

// The address ranges of this library: its image and its LDS.
struct tl2hip_image {
    const char *image, *image_end;
    char *lds, *lds_end;
};
extern __attribute__((used, visibility("default"))) const tl2hip_image tl2hip_library;
const tl2hip_image tl2hip_library = {__ehdr_start, _end, __start_tl2hip_lds, __stop_tl2hip_lds};
}

template <class Body>
TL2HIP_UNSEEN void tl2hip_call(const void* body) {
    (*(const Body*)body)();
}

template <class... Parameters, class... Arguments>
__attribute__((noinline)) void tl2hip_launch_kernel(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block, unsigned lds,
                          hipStream_t, Arguments... arguments) {
    auto body = [&]() TL2HIP_UNSEEN { kernel(static_cast<Parameters>(arguments)...); };
    const unsigned grid_sizes[3] = {grid.x, grid.y, grid.z}, block_sizes[3] = {block.x, block.y, block.z};
    tl2hip_launch((const void*)kernel, name, tl2hip_call<decltype(body)>, &body, grid_sizes, block_sizes, lds,
                  __builtin_return_address(0));
}

// With TL2HIP_MACHINE the kernel's machine code runs, found by its name. Its arguments lie one behind the other, each
// at a multiple of its alignment.
template <class... Parameters, class... Arguments>
__attribute__((noinline)) void tl2hip_launch_code(const char* name, void (*)(Parameters...), dim3 grid, dim3 block,
                                                  unsigned lds, hipStream_t, Arguments... arguments) {
    unsigned char bytes[(1 + ... + (sizeof(Parameters) + alignof(Parameters)))];
    unsigned at = 0;
    auto put = [&](const auto& value) {
        at = (at + alignof(decltype(value)) - 1) / alignof(decltype(value)) * alignof(decltype(value));
        __builtin_memcpy(bytes + at, &value, sizeof(value));
        at += sizeof(value);
    };
    (put(static_cast<Parameters>(arguments)), ...);
    const unsigned grid_sizes[3] = {grid.x, grid.y, grid.z}, block_sizes[3] = {block.x, block.y, block.z};
    tl2hip_launch_machine(name, bytes, at, grid_sizes, block_sizes, lds, __builtin_return_address(0));
}
#if defined(TL2HIP_MACHINE)
#define hipLaunchKernelGGL(kernel, ...) tl2hip_launch_code(#kernel, (decltype(&kernel)) nullptr, __VA_ARGS__)
#else
#define hipLaunchKernelGGL(kernel, ...) tl2hip_launch_kernel(#kernel, kernel, __VA_ARGS__)
#endif

#define TL2HIP_INDEX(name, call)                                                \
    struct tl2hip_##name {                                                      \
        __declspec(property(get = get_x)) unsigned x;                           \
        __declspec(property(get = get_y)) unsigned y;                           \
        __declspec(property(get = get_z)) unsigned z;                           \
        static TL2HIP_NOLINE unsigned get_x() { return call(0); }               \
        static TL2HIP_NOLINE unsigned get_y() { return call(1); }               \
        static TL2HIP_NOLINE unsigned get_z() { return call(2); }               \
    };                                                                          \
    extern const tl2hip_##name name;
TL2HIP_INDEX(threadIdx, tl2hip_thread)
TL2HIP_INDEX(blockIdx, tl2hip_block)
TL2HIP_INDEX(blockDim, tl2hip_block_size)
TL2HIP_INDEX(gridDim, tl2hip_grid_size)
#undef TL2HIP_INDEX

// ---- barriers and fences

TL2HIP_WAVE void __syncthreads() { tl2hip_syncthreads(); }
TL2HIP_WAVE void __builtin_amdgcn_s_barrier() { tl2hip_s_barrier(); }
TL2HIP_WAVE void __builtin_amdgcn_wave_barrier() { tl2hip_wave_barrier(); }
// Address spaces may follow the scope.
template <class... Spaces>
TL2HIP_DEVICE void __builtin_amdgcn_fence(int order, const char*, Spaces...) {
    tl2hip_fence(order);
}
TL2HIP_DEVICE void __threadfence_block() { tl2hip_fence(__ATOMIC_SEQ_CST); }
TL2HIP_DEVICE void __threadfence() { tl2hip_fence(__ATOMIC_SEQ_CST); }
// lgkmcnt is bits 8 to 11: at zero, this wave's LDS accesses are done.
TL2HIP_DEVICE void __builtin_amdgcn_s_waitcnt(int counts) {
    if ((counts >> 8 & 15) == 0) tl2hip_fence(__ATOMIC_RELEASE);
}
TL2HIP_DEVICE void __builtin_amdgcn_s_setprio(int) {}
TL2HIP_DEVICE void __builtin_amdgcn_s_sleep(int) {}
TL2HIP_DEVICE void __builtin_amdgcn_sched_barrier(int) {}
TL2HIP_DEVICE void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
TL2HIP_DEVICE void __builtin_amdgcn_iglp_opt(int) {}

// ---- lanes

TL2HIP_DEVICE unsigned __lane_id() { return tl2hip_lane(); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workitem_id_x() { return tl2hip_thread(0); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workitem_id_y() { return tl2hip_thread(1); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workitem_id_z() { return tl2hip_thread(2); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workgroup_id_x() { return tl2hip_block(0); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workgroup_id_y() { return tl2hip_block(1); }
TL2HIP_DEVICE unsigned __builtin_amdgcn_workgroup_id_z() { return tl2hip_block(2); }

TL2HIP_DEVICE unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
    unsigned lane = tl2hip_lane();
    return base + __builtin_popcount(lane >= 32 ? mask : mask & ((1u << lane) - 1));
}
TL2HIP_DEVICE unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
    unsigned lane = tl2hip_lane();
    return base + (lane > 32 ? __builtin_popcount(mask & ((1u << (lane - 32)) - 1)) : 0);
}

TL2HIP_WAVE unsigned long long __ballot(int predicate) { return tl2hip_vote(predicate != 0); }
TL2HIP_WAVE unsigned long __builtin_amdgcn_ballot_w64(bool predicate) { return tl2hip_vote(predicate); }
TL2HIP_WAVE int __any(int predicate) { return tl2hip_vote(predicate != 0) != 0; }
TL2HIP_WAVE int __all(int predicate) { return tl2hip_vote(predicate == 0) == 0; }

template <class T>
TL2HIP_WAVE unsigned long tl2hip_bits(T value) {
    static_assert(sizeof(T) <= 8, "a lane exchange moves at most 8 bytes");
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
TL2HIP_WAVE T tl2hip_value(unsigned long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

template <class T>
TL2HIP_WAVE T tl2hip_exchange(T value, int source) {
    return tl2hip_value<T>(tl2hip_exchange_bits(tl2hip_bits(value), source));
}

constexpr int tl2hip_first_lane = -2;
TL2HIP_WAVE int __builtin_amdgcn_readfirstlane(int value) { return tl2hip_exchange(value, tl2hip_first_lane); }
TL2HIP_WAVE int __builtin_amdgcn_readlane(int value, int lane) { return tl2hip_exchange(value, lane & 63); }
TL2HIP_WAVE int __builtin_amdgcn_ds_bpermute(int bytes, int value) { return tl2hip_exchange(value, bytes >> 2 & 63); }
TL2HIP_WAVE int __builtin_amdgcn_ds_permute(int bytes, int value) {
    return tl2hip_permute_bits(value, bytes >> 2 & 63);
}
TL2HIP_WAVE int __builtin_amdgcn_ds_swizzle(int value, int pattern) { return tl2hip_swizzle(value, pattern); }

template <class T>
TL2HIP_WAVE T __builtin_amdgcn_update_dpp(T old, T value, int control, int rows, int banks, bool zero) {
    static_assert(sizeof(T) <= 4, "DPP moves one 32-bit register");
    return tl2hip_value<T>(
        tl2hip_dpp((unsigned)tl2hip_bits(old), (unsigned)tl2hip_bits(value), control, rows, banks, zero));
}
// The old value of a move is undefined: an all-ones pattern shows where it leaks.
TL2HIP_WAVE int __builtin_amdgcn_mov_dpp(int value, int control, int rows, int banks, bool zero) {
    return tl2hip_dpp(~0u, value, control, rows, banks, zero);
}

// ---- atomics

template <class T, class Combine>
TL2HIP_DEVICE T tl2hip_rmw(T* at, Combine combine) {
    tl2hip_atomic_access((void*)at, sizeof(T));
    T old = tl2hip_value<T>(tl2hip_peek((const void*)at, sizeof(T)));
    tl2hip_poke((void*)at, sizeof(T), tl2hip_bits<T>(combine(old)));
    return old;
}

template <class T>
struct tl2hip_same {
    typedef T type;
};
template <class T>
using tl2hip_plain = typename tl2hip_same<T>::type;

// Integers wrap: the sum is made without sign. A NaN loses against a number in min and max.
template <class T>
TL2HIP_DEVICE T tl2hip_wrapping(T x, T y, bool minus) {
    if constexpr (T(1) / T(2) != T(0)) return minus ? x - y : x + y;
    else return (T)(minus ? (unsigned long)x - (unsigned long)y : (unsigned long)x + (unsigned long)y);
}
template <class T>
TL2HIP_DEVICE T tl2hip_least(T x, T y) { return x != x ? y : y < x ? y : x; }
template <class T>
TL2HIP_DEVICE T tl2hip_most(T x, T y) { return x != x ? y : x < y ? y : x; }

#define TL2HIP_RMW(name, formula)                                                     \
    template <class T>                                                                \
    TL2HIP_DEVICE T name(T* at, tl2hip_plain<T> value) {                              \
        return tl2hip_rmw(at, [&](T old) TL2HIP_NOLINE { return (T)(formula); });     \
    }
TL2HIP_RMW(tl2hip_fetch_add, tl2hip_wrapping<T>(old, value, false))
TL2HIP_RMW(tl2hip_fetch_sub, tl2hip_wrapping<T>(old, value, true))
TL2HIP_RMW(tl2hip_fetch_min, tl2hip_least<T>(old, value))
TL2HIP_RMW(tl2hip_fetch_max, tl2hip_most<T>(old, value))
TL2HIP_RMW(tl2hip_fetch_and, old & value)
TL2HIP_RMW(tl2hip_fetch_or, old | value)
TL2HIP_RMW(tl2hip_fetch_xor, old ^ value)
TL2HIP_RMW(tl2hip_fetch_exchange, value)
#undef TL2HIP_RMW

// Bits are compared, as the hardware does.
template <class T>
TL2HIP_DEVICE T tl2hip_fetch_cas(T* at, tl2hip_plain<T> expected, tl2hip_plain<T> value) {
    return tl2hip_rmw(at, [&](T old) TL2HIP_NOLINE {
        return tl2hip_bits<T>(old) == tl2hip_bits<T>(expected) ? (T)value : old;
    });
}

template <class T>
TL2HIP_DEVICE bool tl2hip_swap_if(T* at, T* expected, tl2hip_plain<T> value) {
    T old = tl2hip_fetch_cas(at, *expected, value);
    bool same = tl2hip_bits<T>(old) == tl2hip_bits<T>(*expected);
    *expected = old;
    return same;
}

#define __hip_atomic_fetch_add(at, value, order, scope) tl2hip_fetch_add(at, value)
#define __hip_atomic_fetch_sub(at, value, order, scope) tl2hip_fetch_sub(at, value)
#define __hip_atomic_fetch_min(at, value, order, scope) tl2hip_fetch_min(at, value)
#define __hip_atomic_fetch_max(at, value, order, scope) tl2hip_fetch_max(at, value)
#define __hip_atomic_fetch_and(at, value, order, scope) tl2hip_fetch_and(at, value)
#define __hip_atomic_fetch_or(at, value, order, scope) tl2hip_fetch_or(at, value)
#define __hip_atomic_fetch_xor(at, value, order, scope) tl2hip_fetch_xor(at, value)
#define __hip_atomic_exchange(at, value, order, scope) tl2hip_fetch_exchange(at, value)
#define __hip_atomic_load(at, order, scope) tl2hip_fetch_add(at, 0)
#define __hip_atomic_store(at, value, order, scope) ((void)tl2hip_fetch_exchange(at, value))
#define __hip_atomic_compare_exchange_strong(at, expected, value, good, bad, scope) tl2hip_swap_if(at, expected, value)
#define __hip_atomic_compare_exchange_weak(at, expected, value, good, bad, scope) tl2hip_swap_if(at, expected, value)

// ---- arithmetic of the target

// Streamed accesses are plain ones here: clang 22 for x86-64 breaks on such accesses of f16 and bf16 vectors.
#define __builtin_nontemporal_load(place) (*(place))
#define __builtin_nontemporal_store(value, place) (*(place) = (value))

TL2HIP_DEVICE float __builtin_amdgcn_exp2f(float x) { return exp2f(x); }
TL2HIP_DEVICE float __builtin_amdgcn_logf(float x) { return log2f(x); }
TL2HIP_DEVICE float __builtin_amdgcn_rcpf(float x) { return 1.0f / x; }
TL2HIP_DEVICE float __builtin_amdgcn_rsqf(float x) { return 1.0f / __builtin_sqrtf(x); }
TL2HIP_DEVICE float __builtin_amdgcn_sqrtf(float x) { return __builtin_sqrtf(x); }
TL2HIP_DEVICE float __builtin_amdgcn_fmed3f(float x, float y, float z) {
    return __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z));
}
TL2HIP_DEVICE unsigned __builtin_amdgcn_perm(unsigned high, unsigned low, unsigned selector) {
    unsigned long both = (unsigned long)high << 32 | low;
    unsigned out = 0;
    for (int b = 0; b < 4; ++b) {
        unsigned pick = selector >> 8 * b & 255;
        unsigned byte = pick < 8    ? both >> 8 * pick & 255
                        : pick < 12 ? (both >> (16 * (pick - 8) + 15) & 1) * 255
                        : pick == 12 ? 0
                                     : 255;
        out |= byte << 8 * b;
    }
    return out;
}

typedef _Float16 tl2hip_h2 __attribute__((ext_vector_type(2)));
// The nearest value, one step back when it lies further from zero (an infinity becomes the largest number).
TL2HIP_DEVICE _Float16 tl2hip_toward_zero(float x) {
    _Float16 near = (_Float16)x;
    bool far = __builtin_fabsf((float)near) > __builtin_fabsf(x);
    return __builtin_bit_cast(_Float16, (unsigned short)(__builtin_bit_cast(unsigned short, near) - far));
}
TL2HIP_DEVICE tl2hip_h2 __builtin_amdgcn_cvt_pkrtz(float x, float y) {
    return tl2hip_h2{tl2hip_toward_zero(x), tl2hip_toward_zero(y)};
}

// ---- raw buffers: out of range, a load gives 0 and a store vanishes

struct __amdgpu_buffer_rsrc_t {
    void* base;
    unsigned records;
};
TL2HIP_DEVICE __amdgpu_buffer_rsrc_t __builtin_amdgcn_make_buffer_rsrc(void* base, short, int records, int) {
    return {base, (unsigned)records};
}
#define TL2HIP_BUFFER(suffix, type)                                                                               \
    TL2HIP_DEVICE type __builtin_amdgcn_raw_buffer_load_##suffix(__amdgpu_buffer_rsrc_t from, int voffset,        \
                                                                 int soffset, int) {                              \
        type value;                                                                                               \
        tl2hip_buffer_load(&value, from.base, from.records, voffset, soffset, sizeof(type));                      \
        return value;                                                                                             \
    }                                                                                                             \
    template <class Value>                                                                                        \
    TL2HIP_DEVICE void __builtin_amdgcn_raw_buffer_store_##suffix(Value value, __amdgpu_buffer_rsrc_t to,         \
                                                                  int voffset, int soffset, int) {                \
        type bits = (type)value;                                                                                  \
        tl2hip_buffer_store(&bits, to.base, to.records, voffset, soffset, sizeof(type));                          \
    }
typedef unsigned tl2hip_u2 __attribute__((ext_vector_type(2)));
typedef unsigned tl2hip_u4 __attribute__((ext_vector_type(4)));
TL2HIP_BUFFER(b8, unsigned char)
TL2HIP_BUFFER(b16, unsigned short)
TL2HIP_BUFFER(b32, unsigned)
TL2HIP_BUFFER(b64, tl2hip_u2)
TL2HIP_BUFFER(b128, tl2hip_u4)
#undef TL2HIP_BUFFER

// ---- matrix instructions: the number is the row of the table in runtime/mfma.cpp

#define TL2HIP_VECTOR(type, n) type __attribute__((ext_vector_type(n)))
typedef TL2HIP_VECTOR(_Float16, 4) tl2hip_h4;
typedef TL2HIP_VECTOR(short, 4) tl2hip_s4;
typedef TL2HIP_VECTOR(float, 2) tl2hip_f2;
typedef TL2HIP_VECTOR(float, 4) tl2hip_f4;
typedef TL2HIP_VECTOR(float, 16) tl2hip_f16;
typedef TL2HIP_VECTOR(int, 4) tl2hip_i4;
typedef TL2HIP_VECTOR(int, 16) tl2hip_i16;
typedef TL2HIP_VECTOR(double, 4) tl2hip_d4;
#undef TL2HIP_VECTOR

#define TL2HIP_MFMA(number, name, factor, sum)                                                      \
    static TL2HIP_UNSEEN TL2HIP_MEETING inline sum __builtin_amdgcn_mfma_##name(factor a, factor b, \
                                                                        sum c, int, int, int) {     \
        sum d;                                                                                      \
        tl2hip_mfma(number, &a, &b, &c, &d, __builtin_return_address(0));                           \
        return d;                                                                                   \
    }
TL2HIP_MFMA(0, f32_16x16x16f16, tl2hip_h4, tl2hip_f4)
TL2HIP_MFMA(1, f32_16x16x16bf16_1k, tl2hip_s4, tl2hip_f4)
TL2HIP_MFMA(2, f32_32x32x8f16, tl2hip_h4, tl2hip_f16)
TL2HIP_MFMA(3, f32_32x32x8bf16_1k, tl2hip_s4, tl2hip_f16)
TL2HIP_MFMA(4, f32_16x16x4f32, float, tl2hip_f4)
TL2HIP_MFMA(5, f32_32x32x2f32, float, tl2hip_f16)
TL2HIP_MFMA(6, f32_16x16x8_xf32, tl2hip_f2, tl2hip_f4)
TL2HIP_MFMA(7, f32_32x32x4_xf32, tl2hip_f2, tl2hip_f16)
TL2HIP_MFMA(8, i32_16x16x32_i8, long, tl2hip_i4)
TL2HIP_MFMA(9, i32_32x32x16_i8, long, tl2hip_i16)
TL2HIP_MFMA(10, f32_16x16x32_fp8_fp8, long, tl2hip_f4)
TL2HIP_MFMA(11, f32_16x16x32_fp8_bf8, long, tl2hip_f4)
TL2HIP_MFMA(12, f32_16x16x32_bf8_fp8, long, tl2hip_f4)
TL2HIP_MFMA(13, f32_16x16x32_bf8_bf8, long, tl2hip_f4)
TL2HIP_MFMA(14, f32_32x32x16_fp8_fp8, long, tl2hip_f16)
TL2HIP_MFMA(15, f32_32x32x16_fp8_bf8, long, tl2hip_f16)
TL2HIP_MFMA(16, f32_32x32x16_bf8_fp8, long, tl2hip_f16)
TL2HIP_MFMA(17, f32_32x32x16_bf8_bf8, long, tl2hip_f16)
TL2HIP_MFMA(18, f64_16x16x4f64, double, tl2hip_d4)
TL2HIP_MFMA(19, f64_4x4x4f64, double, double)
TL2HIP_MFMA(20, f32_4x4x4f16, tl2hip_h4, tl2hip_f4)
TL2HIP_MFMA(21, f32_4x4x4bf16_1k, tl2hip_s4, tl2hip_f4)
TL2HIP_MFMA(22, f32_4x4x1f32, float, tl2hip_f4)
#undef TL2HIP_MFMA
