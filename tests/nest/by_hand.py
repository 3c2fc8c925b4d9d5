"""Nests written by hand, for the tests of what runs nests."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tl2hip.dtypes import F32, I32, I64, DType
from tl2hip.nest.ir import (
    Alloc,
    Array,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Set,
    Stmt,
    Store,
    Update,
    Var,
    Variable,
    While,
)
from tl2hip.source.span import Source


def whole(value: int) -> Const:
    return Const(value, I64)


def f32(value: float) -> Const:
    return Const(value, F32)


def add(a: Expr, b: Expr) -> Binary:
    return Binary("+", a, b)


def mul(a: Expr, b: Expr) -> Binary:
    return Binary("*", a, b)


def loop(axis: str, stop: Expr | int, *body: Stmt, start: Expr | int = 0, step: int = 1) -> Loop:
    first = whole(start) if isinstance(start, int) else start
    last = whole(stop) if isinstance(stop, int) else stop
    return Loop(Axis(axis, first, last, step), body)


def load(array: str, *index: Expr, dtype: DType = F32, proven: bool = True) -> Load:
    return Load(array, index, dtype, proven)


def array(name: str, dtype: DType, *shape: Expr, role: str = "parameter") -> Array:
    return Array(name, dtype, shape, role)  # type: ignore[arg-type]


def nest(
    body: Sequence[Stmt],
    arrays: Sequence[Array],
    dims: str,
    variables: Sequence[Variable] = (),
    scalars: Sequence[Scalar] = (),
    results: tuple[str, ...] = (),
    name: str = "kernel",
) -> Nest:
    """A kernel whose parameters come in the order of `arrays`, then `scalars`."""
    parameters = tuple(a.name for a in arrays if a.role == "parameter")
    return Nest(
        name,
        Source(f"{name}.py", ""),
        parameters + tuple(s.name for s in scalars),
        tuple(dims.split()),
        tuple(scalars),
        tuple(arrays),
        tuple(variables),
        tuple(body),
        results=results,
    )


i, j, k, p = (AxisRef(n) for n in "ijkp")
M, N, D = (Dim(n) for n in ("M", "N", "D"))
S = Var("s", F32)


def added(dtype: DType = F32) -> Nest:
    """z = x + y."""
    total = add(load("x", i, dtype=dtype), load("y", i, dtype=dtype))
    body = [loop("i", N, Store("z", (i,), total, True))]
    return nest(body, [array(n, dtype, N) for n in "xyz"], "N", name="added")


def product(dtype: DType = F32) -> Nest:
    """C = A @ B, summed in its own dtype."""
    s = Var("s", dtype)
    term = mul(load("A", i, k, dtype=dtype), load("B", k, j, dtype=dtype))
    inner = loop("k", D, Set("s", add(s, term)))
    store = Store("C", (i, j), s, True)
    body = [loop("i", M, loop("j", N, Set("s", Const(0.0, dtype)), inner, store))]
    arrays = [array("A", dtype, M, D), array("B", dtype, D, N), array("C", dtype, M, N)]
    return nest(body, arrays, "M D N", [Variable("s", dtype)], name="product")


def row_sum(dtype: DType = F32) -> Nest:
    """y[i] = the sum of row i of X."""
    s = Var("s", dtype)
    inner = loop("j", N, Set("s", add(s, load("X", i, j, dtype=dtype))))
    body = [loop("i", M, Set("s", Const(0.0, dtype)), inner, Store("y", (i,), s, True))]
    arrays = [array("X", dtype, M, N), array("y", dtype, M)]
    return nest(body, arrays, "M N", [Variable("s", dtype)], name="row_sum")


def softmax() -> Nest:
    """Each row's softmax in three loops, the maximum taken out first."""
    m, total = Var("m", F32), Var("total", F32)
    x = load("X", i, j)
    body = [
        loop(
            "i",
            M,
            Set("m", f32(-math.inf)),
            loop("j", N, Set("m", Binary("max", m, x))),
            Set("total", f32(0.0)),
            Loop(
                Axis("k", whole(0), N),
                (
                    Store("Y", (i, k), Call("exp", (Binary("-", load("X", i, k), m),), F32), True),
                    Set("total", add(total, load("Y", i, k))),
                ),
            ),
            loop("p", N, Store("Y", (i, p), Binary("/", load("Y", i, p), total), True)),
        )
    ]
    arrays = [array("X", F32, M, N), array("Y", F32, M, N)]
    return nest(body, arrays, "M N", [Variable("m", F32), Variable("total", F32)], name="softmax")


def sparse_product() -> Nest:
    """y = A @ x with A by rows (CSR): ragged loops, a gather."""
    column = load("column", p, dtype=I32, proven=False)
    term = mul(load("value", p, proven=False), load("x", to_whole(column), proven=False))
    first = to_whole(load("start", i, dtype=I32))
    last = to_whole(load("start", add(i, whole(1)), dtype=I32))
    inner = loop("p", last, Set("s", add(S, term)), start=first)
    body = [loop("i", M, Set("s", f32(0.0)), inner, Store("y", (i,), S, True))]
    nnz = Dim("NNZ")
    arrays = [
        array("start", I32, add(M, whole(1))),
        array("column", I32, nnz),
        array("value", F32, nnz),
        array("x", F32, N),
        array("y", F32, M),
    ]
    return nest(body, arrays, "M NNZ N", [Variable("s", F32)], name="sparse_product")


def to_whole(e: Expr) -> Expr:
    return Cast(e, I64)


def histogram() -> Nest:
    """hist[int(x * BINS)] += 1 for those inside."""
    bins = Dim("BINS")
    which = Var("bin", I64)
    scaled = mul(load("x", i), Cast(bins, F32))
    inside = Logic("and", Compare("<=", whole(0), which), Compare("<", which, bins))
    one = Update("hist", (which,), "+", Const(1, I32))
    body = [loop("i", N, Set("bin", Cast(scaled, I64)), If(inside, (one,)))]
    arrays = [array("x", F32, N), array("hist", I32, bins)]
    return nest(body, arrays, "N BINS", [Variable("bin", I64)], name="histogram")


def argmax() -> Nest:
    """The first of the largest elements of each row, and its column."""
    best, where = Var("best", F32), Var("where", I64)
    x = load("X", i, j)
    found = If(Compare(">", x, best), (Set("best", x), Set("where", j)))
    body = [
        loop(
            "i",
            M,
            Set("best", f32(-math.inf)),
            Set("where", whole(0)),
            loop("j", N, found),
            Store("value", (i,), best, True),
            Store("index", (i,), Cast(where, I32), True),
        )
    ]
    arrays = [array("X", F32, M, N), array("value", F32, M), array("index", I32, M)]
    return nest(body, arrays, "M N", [Variable("best", F32), Variable("where", I64)], name="argmax")


def escape() -> Nest:
    """count[i] = steps until |z| passes 2 from z = x[i], at most `limit`: a while in each lane."""
    z, n, limit = Var("z", F32), Var("n", I64), Scalar("limit", I64)
    test = Logic("and", Compare("<", n, limit), Compare("<=", mul(z, z), f32(4.0)))
    c = load("x", i)
    body = [
        loop(
            "i",
            N,
            Set("z", f32(0.0)),
            Set("n", whole(0)),
            While(test, (Set("z", add(mul(z, z), c)), Set("n", add(n, whole(1))))),
            Store("count", (i,), n, True),
        )
    ]
    arrays = [array("x", F32, N), array("count", I64, N)]
    return nest(body, arrays, "N", [Variable("z", F32), Variable("n", I64)], [limit], name="escape")


def triangle() -> Nest:
    """out[i] = the sum of x[i * i : …] over a triangle, through a local array of each row."""
    t = load("t", j)
    body = [
        loop(
            "i",
            N,
            Alloc("t"),
            loop("k", add(i, whole(1)), Store("t", (k,), mul(load("x", k), load("x", i)), True)),
            Set("s", f32(0.0)),
            loop("j", add(i, whole(1)), Set("s", add(S, t))),
            Store("out", (i,), S, True),
        )
    ]
    arrays = [
        array("x", F32, N),
        array("t", F32, add(i, whole(1)), role="local"),
        array("out", F32, N, role="result"),
    ]
    return nest(body, arrays, "N", [Variable("s", F32)], results=("out",), name="triangle")
