"""Updates that several threads may make to one element: HIP's own atomics, or a compare-and-swap helper.

HIP has the sum of i32, u32, f32 and f64 (and of 64-bit words, which serves i64), and min, max, and, or, xor of
32-bit integers; all are relaxed and visible to the whole device. The others swap the 32-bit or 64-bit word that
holds the element until nobody came in between.
"""

from __future__ import annotations

from tl2hip.dtypes import F32, F64, I32, I64, U32, DType
from tl2hip.hip import helpers
from tl2hip.hip.context import Context
from tl2hip.hip.helpers import Helper

_INTEGER = {
    "+": "atomicAdd",
    **dict.fromkeys(("min", "minimum", "fmin"), "atomicMin"),
    **dict.fromkeys(("max", "maximum", "fmax"), "atomicMax"),
    "&": "atomicAnd",
    "|": "atomicOr",
    "^": "atomicXor",
}

_SPELLED = {"+": "add", "*": "mul", "&": "and", "|": "or", "^": "xor", "and": "all", "or": "any"}


def atomic(
    op: str, dtype: DType, place: str, value: str, combined: str, needs: tuple[Helper, ...], ctx: Context
) -> str:
    """The call that updates `place` (an element) with `value`; `combined` is the new value of `old` and `by`."""
    if dtype in (I32, U32) and op in _INTEGER:
        return f"{_INTEGER[op]}(&{place}, {value})"
    if op == "+" and dtype in (F32, F64):
        return f"atomicAdd(&{place}, {value})"
    if op == "+" and dtype is I64:
        word = ctx.call(helpers.U64)
        return f"atomicAdd(({word} *)&{place}, ({word})({value}))"
    name = f"atomic_{_SPELLED.get(op) or helpers.CHOICE[op][0]}_{dtype}"
    make = _whole_word if dtype.bits >= 32 else _part_of_word
    return f"{ctx.call(make(name, dtype, combined, needs))}(&{place}, {value})"


def _whole_word(name: str, dtype: DType, combined: str, needs: tuple[Helper, ...]) -> Helper:
    word = helpers.unsigned(dtype)
    text = (
        f"static inline __device__ void {name}({dtype.c} *place, {dtype.c} by)\n{{\n"
        f"    {word} *word = ({word} *)place;\n"
        f"    {word} seen = 0;\n"
        "    for (;;) {\n"
        f"        const {dtype.c} old = __builtin_bit_cast({dtype.c}, seen);\n"
        f"        const {dtype.c} value = {combined};\n"
        f"        const {word} found = atomicCAS(word, seen, __builtin_bit_cast({word}, value));\n"
        "        if (found == seen)\n            return;\n"
        "        seen = found;\n"
        "    }\n}"
    )
    return Helper(name, text, (*needs, helpers.U64) if dtype.bits == 64 else needs)


def _part_of_word(name: str, dtype: DType, combined: str, needs: tuple[Helper, ...]) -> Helper:
    """The element is 8 or 16 bits of a 32-bit word; the other bits are written back as they were found."""
    part = helpers.unsigned(dtype)
    mask = f"{2**dtype.bits - 1:#x}u"
    text = (
        f"static inline __device__ void {name}({dtype.c} *place, {dtype.c} by)\n{{\n"
        "    unsigned int *word = (unsigned int *)((u64)place & ~3ull);\n"
        "    const unsigned int shift = ((u64)place & 3) * 8;\n"
        "    unsigned int seen = 0;\n"
        "    for (;;) {\n"
        f"        const {dtype.c} old = {_bits_to_value(f'({part})(seen >> shift)', dtype)};\n"
        f"        const {dtype.c} value = {combined};\n"
        f"        const unsigned int bits = {_value_to_bits('value', dtype)};\n"
        f"        const unsigned int found = atomicCAS(word, seen, (seen & ~({mask} << shift)) | bits << shift);\n"
        "        if (found == seen)\n            return;\n"
        "        seen = found;\n"
        "    }\n}"
    )
    return Helper(name, text, (*needs, helpers.U64))


def _bits_to_value(bits: str, dtype: DType) -> str:
    if dtype.kind == "bool":
        return f"{bits} != 0"
    return f"__builtin_bit_cast({dtype.c}, {bits})" if dtype.is_float and dtype.bits == 16 else f"({dtype.c}){bits}"


def _value_to_bits(value: str, dtype: DType) -> str:
    if dtype.is_float and dtype.bits == 16:
        return f"__builtin_bit_cast(unsigned short, {value})"
    return f"({helpers.unsigned(dtype)}){value}"
