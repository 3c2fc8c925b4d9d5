"""Statements about vectors in registers as C++. Importing this module makes `statements.write` know them."""

from __future__ import annotations

from tl2hip.hip.access import offset
from tl2hip.hip.expressions import show
from tl2hip.hip.statements import Writer, write
from tl2hip.hip.vectors import vector_type
from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Array, Expr
from tl2hip.plan.ir import DeclareVector, LoadVector, StoreVector


def vector_of(name: str, w: Writer, *, aligned: bool = True) -> str:
    """The C type of one of the vectors of that name."""
    return vector_type(w.ctx.arrays[name].dtype, declared_width(name, w), w.ctx.used, aligned=aligned)


def declared_width(name: str, w: Writer) -> int:
    """The elements of one of the vectors of that name."""
    a = w.ctx.arrays[name]
    return _extent(a, len(a.shape) - 1)


def declared(name: str, w: Writer) -> str:
    """`f32x4 sums[4][4]`: the vectors of that name."""
    a = w.ctx.arrays[name]
    counts = "".join(f"[{_extent(a, n)}]" for n in range(len(a.shape) - 1))
    return f"{vector_of(name, w)} {w.ctx.c(name)}{counts}"


def vector_at(name: str, slot: tuple[Expr, ...], w: Writer) -> str:
    """`sums[i][j]`: one vector."""
    return w.ctx.c(name) + "".join(f"[{w.text(s)}]" for s in slot)


def _extent(a: Array, n: int) -> int:
    extent = value_of(a.shape[n])
    assert extent is not None, a.name
    return extent


def _address(s: LoadVector | StoreVector, w: Writer) -> str:
    """`&x[i + 4]`: where the first element of a vector lies in memory."""
    return f"&{w.ctx.c(s.array)}[{offset(s.array, s.index, w.ctx, show).argument}]"


@write.register
def _declare_vector(s: DeclareVector, w: Writer) -> None:
    w.line(f"{declared(s.vector, w)}{' = {}' if s.zeros else ''};")


@write.register
def _load_vector(s: LoadVector, w: Writer) -> None:
    w.quote(s.at)
    kind, place = vector_of(s.vector, w, aligned=s.aligned), _address(s, w)
    value = f"*(const {kind} *){place}"
    if s.streamed:
        value = f"__builtin_nontemporal_load((const {kind} *){place})"
    head = vector_at(s.vector, s.slot, w) if s.slot else declared(s.vector, w)
    w.line(f"{head} = {value};")


@write.register
def _store_vector(s: StoreVector, w: Writer) -> None:
    w.quote(s.at)
    kind, place = vector_of(s.vector, w, aligned=s.aligned), _address(s, w)
    value = vector_at(s.vector, s.slot, w)
    if s.streamed:
        w.line(f"__builtin_nontemporal_store({value}, ({kind} *){place});")
    else:
        w.line(f"*({kind} *){place} = {value};")
