"""Math helpers that printed HIP files carry: own algorithms, alike on the host and on gfx942.

They use IEEE + - * /, fma, square root and integer operations only, so the emulated and the real
device give the same bits; printed files switch contraction off. Special cases are those of C's
Annex F and NumPy.
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
    text = files(__name__).joinpath("text", f"{row.file}.h").read_text(encoding="utf-8")
    for pattern, word in row.words:
        text = re.sub(pattern, word, text)
    return MathFunction(row.name, row.dtype, row.ulp, text, row.symbol, row.needs)
