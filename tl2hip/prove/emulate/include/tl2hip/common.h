// What both sides share: functions written once over the names that device.h and host.h give.
#pragma once

#define TL2HIP_UNARY(name)                                                     \
    TL2HIP_DEVICE float name##f(float x) { return __builtin_##name##f(x); }    \
    TL2HIP_DEVICE double name(double x) { return __builtin_##name(x); }
TL2HIP_UNARY(fabs)
TL2HIP_UNARY(floor)
TL2HIP_UNARY(ceil)
TL2HIP_UNARY(trunc)
TL2HIP_UNARY(rint)
TL2HIP_UNARY(round)
TL2HIP_UNARY(sqrt)
#undef TL2HIP_UNARY

#define TL2HIP_BINARY(name)                                                                        \
    TL2HIP_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }            \
    TL2HIP_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
TL2HIP_BINARY(fmin)
TL2HIP_BINARY(fmax)
TL2HIP_BINARY(copysign)
#undef TL2HIP_BINARY

TL2HIP_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TL2HIP_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

TL2HIP_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
TL2HIP_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
TL2HIP_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
TL2HIP_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
TL2HIP_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
TL2HIP_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
TL2HIP_DEVICE bool signbit(float x) { return __builtin_signbit(x); }
TL2HIP_DEVICE bool signbit(double x) { return __builtin_signbit(x); }

TL2HIP_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
TL2HIP_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
TL2HIP_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
TL2HIP_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
TL2HIP_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
TL2HIP_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

TL2HIP_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
TL2HIP_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TL2HIP_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
TL2HIP_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
TL2HIP_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
TL2HIP_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }

#define TL2HIP_MINMAX(type)                                                \
    TL2HIP_DEVICE type min(type x, type y) { return y < x ? y : x; }       \
    TL2HIP_DEVICE type max(type x, type y) { return x < y ? y : x; }
TL2HIP_MINMAX(int)
TL2HIP_MINMAX(unsigned)
TL2HIP_MINMAX(long)
TL2HIP_MINMAX(unsigned long)
TL2HIP_MINMAX(long long)
TL2HIP_MINMAX(unsigned long long)
#undef TL2HIP_MINMAX
TL2HIP_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
TL2HIP_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
TL2HIP_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
TL2HIP_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }

// ---- lanes of a wave of 64; `width` is a power of two, as in HIP

TL2HIP_WAVE int __shfl_source(int lane, int source, int width) { return (source & (width - 1)) + (lane & ~(width - 1)); }

template <class T>
TL2HIP_WAVE T __shfl(T value, int source, int width = 64) {
    return tl2hip_exchange(value, __shfl_source(__lane_id(), source, width));
}

template <class T>
TL2HIP_WAVE T __shfl_up(T value, unsigned delta, int width = 64) {
    int lane = __lane_id(), source = lane - (int)delta;
    return tl2hip_exchange(value, source < (lane & ~(width - 1)) ? lane : source);
}

template <class T>
TL2HIP_WAVE T __shfl_down(T value, unsigned delta, int width = 64) {
    int lane = __lane_id(), inside = lane & (width - 1);
    return tl2hip_exchange(value, inside + (int)delta >= width ? lane : lane + (int)delta);
}

template <class T>
TL2HIP_WAVE T __shfl_xor(T value, int mask, int width = 64) {
    int lane = __lane_id(), source = lane ^ mask;
    return tl2hip_exchange(value, source >= ((lane + width) & ~(width - 1)) ? lane : source);
}

// ---- atomics: the types that HIP has, no more

#define TL2HIP_ATOMIC(name, fetch, type) \
    TL2HIP_DEVICE type name(type* at, type value) { return fetch(at, value); }
#define TL2HIP_ATOMICS(name, fetch)                  \
    TL2HIP_ATOMIC(name, fetch, int)                  \
    TL2HIP_ATOMIC(name, fetch, unsigned)             \
    TL2HIP_ATOMIC(name, fetch, unsigned long)        \
    TL2HIP_ATOMIC(name, fetch, unsigned long long)
#define TL2HIP_ATOMIC_FLOATS(name, fetch)            \
    TL2HIP_ATOMIC(name, fetch, float)                \
    TL2HIP_ATOMIC(name, fetch, double)
TL2HIP_ATOMICS(atomicAdd, tl2hip_fetch_add)
TL2HIP_ATOMICS(atomicSub, tl2hip_fetch_sub)
TL2HIP_ATOMICS(atomicMin, tl2hip_fetch_min)
TL2HIP_ATOMICS(atomicMax, tl2hip_fetch_max)
TL2HIP_ATOMICS(atomicAnd, tl2hip_fetch_and)
TL2HIP_ATOMICS(atomicOr, tl2hip_fetch_or)
TL2HIP_ATOMICS(atomicXor, tl2hip_fetch_xor)
TL2HIP_ATOMICS(atomicExch, tl2hip_fetch_exchange)
TL2HIP_ATOMIC_FLOATS(atomicAdd, tl2hip_fetch_add)
TL2HIP_ATOMIC_FLOATS(atomicMin, tl2hip_fetch_min)
TL2HIP_ATOMIC_FLOATS(atomicMax, tl2hip_fetch_max)
TL2HIP_ATOMIC_FLOATS(atomicExch, tl2hip_fetch_exchange)
TL2HIP_ATOMIC_FLOATS(unsafeAtomicAdd, tl2hip_fetch_add)
TL2HIP_ATOMIC(atomicMin, tl2hip_fetch_min, long long)
TL2HIP_ATOMIC(atomicMax, tl2hip_fetch_max, long long)
#undef TL2HIP_ATOMICS
#undef TL2HIP_ATOMIC_FLOATS
#undef TL2HIP_ATOMIC

#define TL2HIP_CAS(type) \
    TL2HIP_DEVICE type atomicCAS(type* at, type expected, type value) { return tl2hip_fetch_cas(at, expected, value); }
TL2HIP_CAS(unsigned short)
TL2HIP_CAS(int)
TL2HIP_CAS(unsigned)
TL2HIP_CAS(unsigned long)
TL2HIP_CAS(unsigned long long)
TL2HIP_CAS(float)
TL2HIP_CAS(double)
#undef TL2HIP_CAS
