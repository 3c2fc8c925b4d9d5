// The functions that `-fsanitize=thread` makes the printed text call before each access, and those of undefined
// behaviour, whose arguments (a description and the operands) are not needed: the caller tells the line.

#include "runtime.h"

#define ACCESS(name, bytes, how) \
    EXPORT void __tsan_##name(const void* at) { touch((u64)at, bytes, how, CALLER); }
#define ACCESSES(bytes)                           \
    ACCESS(read##bytes, bytes, READ)              \
    ACCESS(write##bytes, bytes, WRITE)            \
    ACCESS(unaligned_read##bytes, bytes, READ)    \
    ACCESS(unaligned_write##bytes, bytes, WRITE)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void*) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_read_range(const void* at, u64 bytes) { touch((u64)at, bytes, READ, CALLER); }
EXPORT void __tsan_write_range(void* at, u64 bytes) { touch((u64)at, bytes, WRITE, CALLER); }

EXPORT void* __tsan_memset(void* to, int byte, u64 bytes) {
    touch((u64)to, bytes, WRITE, CALLER);
    return memset(to, byte, bytes);
}
EXPORT void* __tsan_memcpy(void* to, const void* from, u64 bytes) {
    touch((u64)from, bytes, READ, CALLER);
    touch((u64)to, bytes, WRITE, CALLER);
    return memcpy(to, from, bytes);
}
EXPORT void* __tsan_memmove(void* to, const void* from, u64 bytes) {
    touch((u64)from, bytes, READ, CALLER);
    touch((u64)to, bytes, WRITE, CALLER);
    return memmove(to, from, bytes);
}

#define UNDEFINED_BEHAVIOUR(name, severity)                                         \
    EXPORT void __ubsan_handle_##name() {                                          \
        if (unit.inside) report(UNDEFINED, severity, CALLER, NOWHERE, 0, nullptr, 0); \
    }
UNDEFINED_BEHAVIOUR(add_overflow, WARNING)
UNDEFINED_BEHAVIOUR(sub_overflow, WARNING)
UNDEFINED_BEHAVIOUR(mul_overflow, WARNING)
UNDEFINED_BEHAVIOUR(negate_overflow, WARNING)
UNDEFINED_BEHAVIOUR(divrem_overflow, ERROR)
UNDEFINED_BEHAVIOUR(shift_out_of_bounds, ERROR)
UNDEFINED_BEHAVIOUR(out_of_bounds, ERROR)
