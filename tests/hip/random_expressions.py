"""Random expressions over every dtype, and a kernel and a nest that both store each of them."""

from __future__ import annotations

from random import Random

from tl2hip.dtypes import BF16, BOOL, F8E4M3, F8E5M2, F16, F32, F64, I8, I16, I32, I64, U8, U32, DType
from tl2hip.nest.ir import (
    Array,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Loop,
    Nest,
    Select,
    Store,
    Unary,
)
from tl2hip.plan.ir import DeviceKernel, For, Launch, Place, Placed, Plan
from tl2hip.plan.kernels import stored
from tl2hip.source.span import Source

DTYPES = (F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, U32, BOOL)
FLOATS = tuple(t for t in DTYPES if t.is_float)
INTS = tuple(t for t in DTYPES if t.is_int)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
EXACT = ("sqrt", "floor", "ceil", "trunc", "rint")
FLOAT_OPS = ("+", "-", "*", "/", "//", "%", "min", "max", "minimum", "maximum", "fmin", "fmax")
INT_OPS = ("+", "-", "*", "//", "%", "**", "&", "|", "^", "<<", ">>", "min", "max", "minimum", "fmax")
CONSTANTS = {"int": (0, 1, 2, 3, 5, 7, 31, 63, 100), "float": (0.5, 1.0, 1.5, 2.0, 3.0, 0.1, 1e4, 65504.0)}


def expression(dtype: DType, depth: int, draw: Random) -> Expr:
    """A random expression of a dtype over the arrays `a_<dtype>` and `b_<dtype>`, indexed by i."""
    if depth == 0 or draw.random() < 0.1:
        return _leaf(dtype, draw)
    kind = draw.random()
    if kind < 0.12:
        test = expression(BOOL, depth - 1, draw)
        return Select(test, expression(dtype, depth - 1, draw), expression(dtype, depth - 1, draw))
    if kind < 0.3:
        return Cast(expression(draw.choice(DTYPES), depth - 1, draw), dtype)
    if dtype is BOOL:
        return _truth(depth, draw)
    if kind < 0.4:
        op = draw.choice(("-", "abs") if dtype.is_float else ("-", "~", "abs"))
        return Unary(op, expression(dtype, depth - 1, draw))
    if kind < 0.5 and dtype in (F32, F64):
        return Call(draw.choice(EXACT), (expression(dtype, depth - 1, draw),), dtype)
    op = draw.choice(FLOAT_OPS if dtype.is_float else INT_OPS)
    return Binary(op, expression(dtype, depth - 1, draw), expression(dtype, depth - 1, draw))


def _truth(depth: int, draw: Random) -> Expr:
    kind = draw.random()
    if kind < 0.5:
        t = draw.choice(DTYPES)
        return Compare(draw.choice(COMPARISONS), expression(t, depth - 1, draw), expression(t, depth - 1, draw))
    a, b = expression(BOOL, depth - 1, draw), expression(BOOL, depth - 1, draw)
    if kind < 0.75:
        return Logic(draw.choice(("and", "or")), a, b)
    return Binary(draw.choice("&|^"), a, b) if kind < 0.9 else Unary("not", a)


def _leaf(dtype: DType, draw: Random) -> Expr:
    if dtype is I64 and draw.random() < 0.2:
        return AxisRef("i")
    if draw.random() < 0.3:
        if dtype is BOOL:
            return Const(draw.random() < 0.5, BOOL)
        value = draw.choice(CONSTANTS["float" if dtype.is_float else "int"])
        return Const(value if dtype.kind != "int" or draw.random() < 0.7 else -value, dtype)
    return Load(f"{draw.choice('ab')}_{dtype}", (AxisRef("i"),), dtype, True)


def program(expressions: tuple[Expr, ...], n: int) -> tuple[Nest, Plan]:
    """A nest that stores expression k at `out_<dtype>[k, i]`, and a plan of one thread that does the same."""
    arrays = [Array(f"{x}_{t}", t, (Const(n, I64),), "parameter") for t in DTYPES for x in "ab"]
    stores = []
    for t in dict.fromkeys(e.dtype for e in expressions):
        mine = [e for e in expressions if e.dtype is t]
        arrays.append(Array(f"out_{t}", t, (Const(len(mine), I64), Const(n, I64)), "parameter"))
        stores += [Store(f"out_{t}", (Const(k, I64), AxisRef("i")), e, True) for k, e in enumerate(mine)]
    names = tuple(a.name for a in arrays)
    axis = Axis("i", Const(0, I64), Const(n, I64))
    nest = Nest("many", Source("many.py", ""), names, (), (), tuple(arrays), (), (Loop(axis, tuple(stores)),))
    body = For("i", Const(0, I64), Const(n, I64), Const(1, I64), tuple(stores))
    bodies = (lone(body),)
    places = (Place("t", "threadIdx.x"),)
    kernel = DeviceKernel("many_kernel", names, (), (64, 1, 1), places, bodies, stored=stored(bodies))
    one = Const(1, I64)
    placed = tuple(Placed(a, "global") for a in arrays)
    return nest, Plan(nest, placed, (kernel,), (Launch("many_kernel", (one, one, one)),), ())


def lone(body: For):  # type: ignore[no-untyped-def]
    """The body run by the first thread only."""
    from tl2hip.nest.ir import Var
    from tl2hip.plan.ir import DeviceIf

    return DeviceIf(Compare("==", Var("t", I64), Const(0, I64)), (body,))
