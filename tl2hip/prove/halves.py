"""The nest that NumPy runs where a function reduces halves: with its roundings, which a kernel leaves out."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import DType
from tl2hip.nest.build import fold
from tl2hip.nest.ir import Binary, Cast, Expr, Nest, Set, Stmt, Var
from tl2hip.nest.walk import map_exprs, map_stmts


def in_numpy(nest: Nest) -> Nest:
    """The nest with each variable in the dtype that NumPy holds it in."""
    held = {v.name: v.numpy for v in nest.variables if v.numpy is not None}
    if not held:
        return nest

    def read(e: Expr) -> Expr:
        return Cast(Var(e.name, held[e.name]), e.dtype) if isinstance(e, Var) and e.name in held else e

    def taken(s: Stmt) -> Stmt:
        return _narrowed(s, held[s.name]) if isinstance(s, Set) and s.name in held else s

    body = map_stmts(taken, map_exprs(read, nest.body))
    return replace(nest, body=body, variables=tuple(replace(v, dtype=v.numpy or v.dtype) for v in nest.variables))


def _narrowed(s: Set, dtype: DType) -> Set:
    """A statement that sets such a variable: what is folded into it is rounded, and then the result."""
    e = s.value
    if isinstance(e, Binary) and isinstance(e.left, Cast) and e.left.value == Var(s.name, dtype):
        return replace(s, value=Binary(e.op, e.left.value, fold.cast(e.right, dtype, explicit=True)))
    return replace(s, value=fold.cast(e, dtype, explicit=True))
