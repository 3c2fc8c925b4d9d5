"""Reductions over the lanes of a wave and the waves of a block, as printed helpers.

A wave reduces by DPP, with no LDS: after four patterns every row of 16 lanes holds its own result, two broadcasts
carry it on to lane 63, and every lane reads that one (gfx942: CDNA3 ISA, data parallel primitives).
Only lane 63 is read, so what the broadcasts leave in rows that have no row before them does not matter.
"""

from __future__ import annotations

from tl2hip.dtypes import I64, DType
from tl2hip.hip import helpers
from tl2hip.hip.context import Context
from tl2hip.hip.expressions import show
from tl2hip.hip.frame import fill
from tl2hip.hip.helpers import Helper
from tl2hip.nest.ir import Binary, Logic, Var
from tl2hip.plan.lanes_ir import NONE_FIRST, NONE_LAST
from tl2hip.plan.reduce import identity

TITLES = {
    "+": ("sum", "The sum"),
    "*": ("product", "The product"),
    "min": ("py_min", "The least value"),
    "max": ("py_max", "The greatest value"),
    "minimum": ("np_min", "The least value, a NaN before all,"),
    "maximum": ("np_max", "The greatest value, a NaN before all,"),
    "fmin": ("num_min", "The least value, NaN left out,"),
    "fmax": ("num_max", "The greatest value, NaN left out,"),
    "&": ("and", "The bitwise and"),
    "|": ("or", "The bitwise or"),
    "^": ("xor", "The bitwise exclusive or"),
    "greatest": ("greatest", "The greatest value, NaN left out,"),
    "least": ("least", "The least value, NaN left out,"),
    "greatest_or_nan": ("greatest_or_nan", "The greatest value, a NaN before all,"),
    "least_or_nan": ("least_or_nan", "The least value, a NaN before all,"),
    "and": ("all", "Whether all hold"),
    "or": ("any", "Whether any holds"),
}

NONE = f"{NONE_FIRST}LL"

EXTREMES = {
    "first_max": ("The greatest value, the first of equal ones,", ">", "<", NONE),
    "first_min": ("The least value, the first of equal ones,", "<", "<", NONE),
    "last_max": ("The greatest value, the last of equal ones,", ">", ">", f"{NONE_LAST}"),
    "last_min": ("The least value, the last of equal ones,", "<", ">", f"{NONE_LAST}"),
}


def combined(op: str, dtype: DType, left: str, right: str, ctx: Context) -> tuple[str, tuple[Helper, ...]]:
    """`left op right` of two C names of a dtype, and the helpers it calls."""
    if op in helpers.EXTREME:
        step = helpers.extreme(op, dtype)
        return f"{step.name}({left}, {right})", (step,)
    inner = Context(_Same(), type(ctx.used)(), {})
    a, b = Var(left, dtype), Var(right, dtype)
    e = Logic(op, a, b) if op in ("and", "or") else Binary(op, a, b)
    text = show(e, inner).argument
    ctx.used.math.update(inner.used.math)
    return text, tuple(inner.used.helpers.values())


class _Same(dict[str, str]):
    """Names that stand for themselves: the parameters of a helper."""

    def __missing__(self, key: str) -> str:
        return key


def reduction(op: str, dtype: DType, threads: int, ctx: Context, *, once: bool = False) -> str:
    """The name of the function that reduces over a block: `wave_sum_f32` or `block_sum_f32<256>`, or
    `row_sum_f32<256>`, which meets `once`."""
    word, title = TITLES[op]
    name = f"{word}_{dtype}"
    text, needs = combined(op, dtype, "x", "y", ctx)
    values = {"title": title, "name": name, "c": dtype.c, "combined": text}
    wave = Helper(f"wave_{name}", fill("reduce", **values), (*needs, *_lanes(dtype)))
    if threads == 64:
        return ctx.call(wave)
    return f"{ctx.call(_over_waves(name, 'reduce_block', values, wave, once))}<{threads}>"


def prefix(op: str, dtype: DType, threads: int, ctx: Context) -> str:
    """The name of the function that gives each thread of a block the reduction over those before it:
    `wave_sum_before_f32` or `block_sum_before_f32<256>`."""
    word, title = TITLES[op]
    name = f"{word}_before_{dtype}"
    steps = {f"{a}_{b}": combined(op, dtype, a, b, ctx) for a, b in (("y", "x"), ("all", "x"), ("all", "y"))}
    values = {"title": title, "name": name, "c": dtype.c, "nothing": show(identity(op, dtype), ctx).argument}
    values |= {key: text for key, (text, _) in steps.items()}
    needs = tuple(dict.fromkeys(h for _, helpers_ in steps.values() for h in helpers_))
    wave = Helper(f"wave_{name}", fill("prefix", **values), (*needs, _earlier(dtype), *_lanes(dtype)))
    if threads == 64:
        return ctx.call(wave)
    block = Helper(f"block_{name}", fill("prefix_block", **values), (wave,))
    return f"{ctx.call(block)}<{threads}>"


def _over_waves(name: str, frame: str, values: dict[str, str], wave: Helper, once: bool) -> Helper:
    """The function over all waves of a block. One that meets `once` leaves its LDS in use."""
    prefix = "row" if once else "block"
    return Helper(f"{prefix}_{name}", fill(frame, **values, prefix=prefix, once=once), (wave,))


def extreme(op: str, dtype: DType, threads: int, ctx: Context, *, once: bool = False) -> str:
    """The name of the function that finds an extreme value and its position over a block; `once` as for
    `reduction`."""
    title, better, nearer, none = EXTREMES[op]
    name = f"{op}_{dtype}"
    wins = f"from != {none} && (at == {none} || y {better} x || (y == x && from {nearer} at))"
    values = {"title": title, "name": name, "c": dtype.c, "wins": wins}
    wave = Helper(f"wave_{name}", fill("extreme", **values), _lanes(dtype, I64))
    if threads == 64:
        return ctx.call(wave)
    return f"{ctx.call(_over_waves(name, 'extreme_block', values, wave, once))}<{threads}>"


def _lanes(*dtypes: DType) -> tuple[Helper, ...]:
    """What moves values of these dtypes between lanes: one overload for each."""
    return tuple(_moved(frame, t) for t in dtypes for frame in ("from_lane", "last_lane"))


def _earlier(dtype: DType) -> Helper:
    """What moves values up the lanes of a wave."""
    return _moved("earlier", dtype)


def _moved(frame: str, dtype: DType) -> Helper:
    pieces = {32: "one", 64: "two"}.get(dtype.bits, "part")
    needs = (helpers.U64,) if dtype.bits == 64 else ()
    values = {"c": dtype.c, "pieces": pieces, "word": helpers.unsigned(dtype)}
    return Helper(f"{frame} {dtype.c}", fill(frame, **values), needs)
