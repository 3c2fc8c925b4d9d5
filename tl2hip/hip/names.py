"""The names a printed file uses: the user's own, renamed only where C++ or HIP could not take them.

One table serves one plan. Renaming depends on the plan alone: names that can stay do, the others take the next
free spelling in the order in which the plan mentions them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from tl2hip.hip.math.table import NAMES


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


KEYWORDS = frozenset(
    words(
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
        "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
        "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
        "extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq "
        "nullptr operator or or_eq private protected public register reinterpret_cast requires return "
        "short signed sizeof static static_assert static_cast struct switch template this thread_local "
        "throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while "
        "xor xor_eq half restrict typeof"
    )
)

TAKEN = frozenset(
    words(
        "threadIdx blockIdx blockDim gridDim warpSize dim3 hipStream_t hipError_t hipSuccess "
        "hipErrorInvalidValue hipGetLastError hipLaunchKernelGGL hipMemcpyAsync hipMemcpyDeviceToHost "
        "hipStreamSynchronize size_t uintptr_t ptrdiff_t i64 stream "
        "workspace atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicCAS atomicExch NULL "
        "EOF NAN INFINITY BUFSIZ RAND_MAX errno assert stdin stdout stderr main std linux unix hip amd "
        "rocm signbit isnan isinf isfinite isnormal fpclassify HUGE_VAL offsetof va_list va_start va_arg "
        "va_end uchar ushort uint ulong int2 int4 float2 float4 uint3 uint4 double2 half2"
    )
)
"""Macros, types and functions of HIP and of the C headers it includes."""

LIBRARY = frozenset(
    words(
        "abs acos acosf acosh asin asinf asinh atan atan2 atan2f atanf atanh cbrt ceil ceilf copysign cos "
        "cosf cosh erf erfc exp exp2 expf expm1 fabs fdim floor floorf fma fmax fmin fmod frexp gamma "
        "hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 logb logf lrint lround max min modf "
        "nearbyint nextafter norm normf pow powf remainder remquo rint round rsqrt scalbn sin sincos sinf "
        "sinh sqrt sqrtf tan tanf tanh tgamma trunc y0 y1 yn abort atexit atof atoi atol bsearch calloc "
        "clock close connect copy div exit fclose fopen fork fread free fwrite getenv index kill labs "
        "ldiv link listen malloc memcmp memcpy memmove memset mktime open pipe printf putchar puts qsort "
        "raise rand random read realloc remove rename rindex scanf select send signal sleep socket "
        "sprintf srand stat strcat strcmp strcpy strlen swab sync system time times tolower toupper "
        "truncate ulong unlink wait write"
    )
)
"""Functions of the C library: a kernel's own `extern "C"` functions must not take their names."""

_DTYPE = "(f64|f32|f16|bf16|f8e4m3|f8e5m2|i64|i32|i16|i8|u8|u32|bool)"

OWN = re.compile(
    r"(wrap_(add|sub|mul|neg|abs)|(py|np|num)_(min|max)|min|max|square|u32_from|(atomic|wave|block)_\w+"
    rf"|(first|last)_(min|max))_{_DTYPE}|((first|fetch|turn)_)?{_DTYPE}x\d+(_any|x\d+)?|(mfma|fetch)_\w+"
    r"|(M|FLT|DBL|INT|UINT|LONG|ULONG|LLONG|CHAR|SHRT|SIZE|FP|HIP)_[A-Z0-9_]+"
)
"""Names of the helpers that printing itself may add to a file, and of macros of the C library's headers."""


class Names:
    """The C name of each name of a plan."""

    def __init__(self, helpers: Iterable[str] = ()) -> None:
        self._c: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._used: set[str] = set(helpers)

    def add(self, names: Iterable[str], functions: bool = False) -> None:
        """Takes more names of the plan; those that clash with nothing keep their spelling."""
        fresh = [n for n in dict.fromkeys(names) if n not in self._c]
        fixed = [n for n in fresh if self._free(n, functions)]
        for name in fixed:
            self._take(name, name)
        for name in fresh:
            if name not in self._c:
                self._take(name, self._next(spelled(name), functions))

    def __getitem__(self, name: str) -> str:
        """The C name of a name of the plan; KeyError where the plan never mentioned it."""
        return self._c[name]

    def fresh(self, base: str) -> str:
        """A name for something that printing itself makes, used by nobody else."""
        name = self._next(spelled(base), False)
        self._used.add(name)
        return name

    def own(self, base: str) -> str:
        """The one name of something that printing makes once in each kernel."""
        if base not in self._own:
            self._own[base] = self.fresh(base)
        return self._own[base]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The (original, C name) pairs of names of Python that differ, in the order of the plan."""
        return tuple((a, b) for a, b in self._c.items() if a != b and a.isidentifier())

    def _take(self, name: str, c: str) -> None:
        self._c[name] = c
        self._used.add(c)

    def _free(self, name: str, functions: bool) -> bool:
        clash = name in KEYWORDS or name in TAKEN or name in self._used or name in NAMES or OWN.fullmatch(name)
        return not clash and not (functions and name in LIBRARY) and name == spelled(name)

    def _next(self, base: str, functions: bool) -> str:
        """The base name, or the first of base_, base_2, base_3 … that is free."""
        if self._free(base, functions):
            return base
        stem = base.rstrip("_")
        name, count = f"{stem}_", 2
        while name in self._used:
            name, count = f"{stem}_{count}", count + 1
        return name


def spelled(name: str) -> str:
    """The name as a C++ identifier of ASCII letters, without leading or double underscores, not one of HIP's.

    >>> spelled("_x"), spelled("a__b"), spelled("α"), spelled("i.1"), spelled("2d")
    ('x_', 'a_b', 'alpha', 'i_1', 'v2d')
    """
    ascii_name = "".join(c if c.isascii() else _word(c) for c in name)
    plain = re.sub(r"_{2,}", "_", re.sub(r"\W", "_", ascii_name, flags=re.ASCII))
    bare = plain.lstrip("_")
    if not bare:
        return "v_"
    if bare != plain:
        bare += "" if bare.endswith("_") else "_"
    return f"v{bare}" if bare[0].isdigit() or bare.startswith(("hip", "tl2hip")) else bare


def _word(c: str) -> str:
    """A letter outside ASCII as the last word of its Unicode name: α is alpha."""
    words = unicodedata.name(c, f"u{ord(c):x}").split()
    return re.sub(r"\W", "_", words[-1].lower(), flags=re.ASCII)
