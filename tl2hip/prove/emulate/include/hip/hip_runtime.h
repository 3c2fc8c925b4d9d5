// The few declarations of HIP that printed kernels use, for compiling with no ROCm.
//
// `device.h` maps them to gfx942, `host.h` to the emulated compute unit on x86-64.
// A name that is not here is a name that printed kernels may not use.
#pragma once

#define hipSuccess 0
#define hipErrorInvalidValue 1
#define hipErrorInvalidConfiguration 9
#define hipErrorLaunchFailure 719
typedef int hipError_t;
enum hipMemcpyKind { hipMemcpyDeviceToHost = 2 };
typedef struct ihipStream_t* hipStream_t;
typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif

#if defined(__HIP__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#else
#if defined(TL2HIP_MACHINE)
#define __global__ inline  // named by launches, never run: it takes no time to compile
#else
#define __global__
#endif
#define __device__
#define __host__
// "used": the compiler may assume nothing about what LDS holds, neither zeros at the start nor its own last store.
#define __shared__ static __attribute__((section("tl2hip_lds"), used))
#define __constant__
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#if defined(__HIP__)
#include "../tl2hip/device.h"
#else
#include "../tl2hip/host.h"
#endif
#include "../tl2hip/common.h"
