"""Small integers in registers as pairs of f16. Importing this module makes `statements.write` know them.

f16 has ten bits behind its 1, those of 1024 are the ones: with an integer's bits in them it is 1024 more than the
integer, or than the integer as many times as its bits are shifted. One fused operation takes both away, exactly.
"""

from __future__ import annotations

from tl2hip.dtypes import F16, U32
from tl2hip.hip.helpers import Helper
from tl2hip.hip.registers import declared_width, vector_at
from tl2hip.hip.statements import Writer, write
from tl2hip.hip.vectors import vector_type
from tl2hip.nest.index import floor_div, modulo
from tl2hip.plan.matrix_ir import Bits, SmallIntegers

ONE_WORD = Helper(
    "small_f16x2",
    "// Two small integers as f16: bits of bytes `low` and `high` of a word, in halves that begin as 1024 does.\n"
    "// What their shift makes them more is divided by, 1024 is subtracted again: all of it is exact.\n"
    "static inline __device__ f16x2 small_f16x2(unsigned int word, int low, int high, unsigned int mask,\n"
    "                                           unsigned int flip, f16x2 unit, f16x2 left)\n{\n"
    "    const unsigned int bytes = __builtin_amdgcn_perm(0x64646464, word, 0x04000400 | high << 16 | low);\n"
    "    return __builtin_elementwise_fma(__builtin_bit_cast(f16x2, (bytes & mask) ^ flip), unit, left);\n}",
)

TWO_WORDS = Helper(
    "small_f16x2_of",
    "// The same for byte `low` of a word and byte `high` of another one.\n"
    "static inline __device__ f16x2 small_f16x2_of(unsigned int first, int low, unsigned int second, int high,\n"
    "                                              unsigned int mask, unsigned int flip, f16x2 unit, f16x2 left)\n"
    "{\n"
    "    const unsigned int bytes = __builtin_amdgcn_perm(second, first, 0x0c040c00 | high << 16 | low);\n"
    "    const unsigned int bits = (bytes & mask) ^ (flip | 0x64006400);\n"
    "    return __builtin_elementwise_fma(__builtin_bit_cast(f16x2, bits), unit, left);\n}",
    (ONE_WORD,),
)


@write.register
def _small_integers(s: SmallIntegers, w: Writer) -> None:
    vector_type(F16, 2, w.ctx.used)
    (word, low), (other, high) = _byte(s.first, w), _byte(s.second, w)
    one = word == other
    given = f"{word}, {low}, {high}" if one else f"{word}, {low}, {other}, {high}"
    both = (s.first, s.second)
    mask = _halves(*((1 << b.bits) - 1 << b.shift % 8 for b in both)) | (0xFF00FF00 if one else 0)
    flip = _halves(*(b.flip << b.shift % 8 for b in both))
    unit = ", ".join(f"{1 / (1 << b.shift % 8)}f" for b in both)
    left = ", ".join(f"{float(b.left)}f" for b in both)
    function = w.ctx.call(ONE_WORD if one else TWO_WORDS)
    w.line(
        f"{vector_at(s.vector, s.slot, w)} = "
        f"{function}({given}, 0x{mask:08x}, 0x{flip:x}, f16x2{{{unit}}}, f16x2{{{left}}});"
    )


def _halves(low: int, high: int) -> int:
    """Two halves as a word."""
    return high << 16 | low


def _byte(b: Bits, w: Writer) -> tuple[str, str]:
    """The 32-bit word that holds the bits, and which of its bytes does."""
    name, byte = b.load.array, b.shift // 8
    if name not in w.ctx.vectors or b.load.dtype.bytes > 1:
        return f"(unsigned int){w.text(b.load)}", str(byte)
    vector, column = vector_at(name, b.load.index[:-1], w), b.load.index[-1]
    words = declared_width(name, w) // 4
    if words == 1:
        return f"__builtin_bit_cast(unsigned int, {vector})", w.text(column)
    kind = vector_type(U32, words, w.ctx.used)
    return f"__builtin_bit_cast({kind}, {vector})[{w.text(floor_div(column, 4))}]", w.text(modulo(column, 4))
