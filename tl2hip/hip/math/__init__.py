"""Math helpers that printed HIP files carry: own algorithms, alike on the host and on gfx942.

They use IEEE + - * /, fma, square root, ldexp and integer operations, so the emulated and the real device
give the same bits; printed files switch contraction off. exp and exp2 of f32 alone use an instruction of the
chip that no standard fixes: v_exp_f32, which is within one unit in the last place (AMD's ISA manuals); the
emulated device rounds it to the nearest. Special cases are those of C's Annex F and NumPy. Most f32 functions
compute in double and round once; exp, exp2, log, log2, tanh and erf stay in single precision, for speed.

Errors in units in the last place of the result, over the whole finite range: the largest seen (on a
million inputs or more, for erf and erfc 45,000, random over all exponents and dense where the function
is used, against values of higher precision; v_exp_f32 rounded up or down where that is worse), and the
bound stated.

                  f32              f64
    function  seen  stated     seen  stated
    exp         1.29    1.40     0.91    1.10
    exp2        1.00    1.10     0.93    1.10
    expm1       0.51    0.60     1.44    2.00
    log         0.87    1.00     0.55    0.75
    log2        1.02    1.25     0.58    0.75
    log10       0.51    0.60     0.55    0.75
    log1p       0.51    0.60     0.87    1.00
    pow         0.51    0.60     1.69    2.25
    sin         0.51    0.60     0.77    1.00
    cos         0.51    0.60     0.76    1.00
    tan         0.51    0.60     2.04    3.00
    asin        0.51    0.60     0.74    1.00
    acos        0.51    0.60     0.72    1.00
    atan        0.51    0.60     0.70    1.00
    atan2       0.51    0.60     0.73    1.00
    sinh        0.51    0.60     1.54    2.00
    cosh        0.51    0.60     1.28    2.00
    tanh        1.77    2.00     1.42    2.00
    erf         1.34    1.50     1.30    1.75
    erfc        0.52    0.60     2.76    4.00
    hypot       0.51    0.60     1.18    1.50
    cbrt        0.51    0.60     0.51    0.60
    rsqrt       1.49    1.50     1.50    1.50

Everything else is exact or correctly rounded: sqrt, floor, ceil, trunc, rint, copysign, fmod, mod and
floordiv as NumPy's remainder and floor_divide, isnan, isinf, isfinite; shl, shr, ipow, floordiv and mod
for integers; cast_<int> but for u32; to_ and from_ f8e4m3 and f8e5m2 (FNUZ).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tl2hip.hip.math.table import BY_NAME, ROWS, Row


@dataclass(frozen=True, slots=True)
class MathFunction:
    """One helper: `text` is C++ that defines `symbol`, given the texts of `needs` before it.

    `ulp` bounds the error over the whole finite range, in units in the last place of the result;
    0 means correctly rounded or exact.
    """

    name: str
    dtype: str
    ulp: float
    text: str
    symbol: str
    needs: tuple[str, ...]


def has(name: str, dtype: str) -> bool:
    """Whether there is a helper `name` for `dtype`."""
    return (name, dtype) in BY_NAME


def ulp(name: str, dtype: str) -> float:
    """The stated error of a helper, without loading its text. KeyError if there is none."""
    return _row(name, dtype).ulp


def lookup(name: str, dtype: str) -> MathFunction:
    """The helper `name` for values of `dtype` (for a cast, the dtype it starts from). KeyError if there is none.

    >>> lookup("exp", "f64").symbol, lookup("cast_i32", "f32").symbol, lookup("floordiv", "i8").symbol
    ('exp_f64', 'cast_f32_i32', 'floordiv_i8')
    """
    return _load(_row(name, dtype).symbol)


def closure(keys: Iterable[str]) -> tuple[MathFunction, ...]:
    """The helpers with these symbols and all they need, each once, needed ones first, in a fixed order.

    >>> [f.symbol for f in closure(["mod_f32", "floordiv_f32"])]
    ['fmod_f32', 'floordiv_f32', 'mod_f32']
    """
    done: dict[str, None] = {}

    def visit(key: str) -> None:
        if key in done:
            return
        for need in ROWS[key].needs:
            visit(need)
        done[key] = None

    for key in sorted(set(keys)):
        visit(key)
    return tuple(_load(key) for key in done)


def _row(name: str, dtype: str) -> Row:
    if (name, dtype) not in BY_NAME:
        raise KeyError(f"no math helper {name} for {dtype}")
    return BY_NAME[name, dtype]


@cache
def _load(symbol: str) -> MathFunction:
    row = ROWS[symbol]
    text = (files(__name__) / "text" / f"{row.file}.h").read_text(encoding="utf-8")
    for pattern, word in row.words:
        text = re.sub(pattern, word, text)
    return MathFunction(row.name, row.dtype, row.ulp, text, row.symbol, row.needs)
