// Undefined behaviour that the host compiler checks for (`-fsanitize=bounds` and others). The arguments, a description
// and the operands, are not needed: the caller tells the line. Signed overflow wraps on gfx942 but lets the compiler
// assume that it never happens, hence a warning.

#include "runtime.h"

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
