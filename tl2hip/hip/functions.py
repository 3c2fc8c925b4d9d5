"""Device functions of `hip.math` by what an expression asks for."""

from __future__ import annotations

from tl2hip.dtypes import DType
from tl2hip.hip.context import Context
from tl2hip.hip.math import closure, lookup

QUALIFIER = "static __device__ inline"


def math_call(name: str, dtype: DType, ctx: Context) -> str:
    """The C name of a function of `hip.math` in a dtype, which is printed from now on."""
    symbol = lookup(name, dtype.name).symbol
    ctx.used.math.setdefault(symbol)
    if ctx.host:
        ctx.used.host_math.setdefault(symbol)
    return symbol


def math_texts(symbols: tuple[str, ...], on_host: tuple[str, ...]) -> dict[str, str]:
    """The texts of functions and of all they call by symbol, callees first; those a launcher calls are for both
    sides."""
    host = {f.symbol for f in closure(on_host)}
    both_sides = f"static __host__ {QUALIFIER.removeprefix('static ')}"
    return {
        f.symbol: (f.text.replace(QUALIFIER, both_sides) if f.symbol in host else f.text).strip()
        for f in closure(symbols)
    }
