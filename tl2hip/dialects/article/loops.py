"""An article kernel's stores as loops: the nodes a user would have written without tiles."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl2hip.dialects.article import types
from tl2hip.dialects.article.names import Fresh, ours
from tl2hip.dialects.article.order import Nest, Order, Placed, arrange, groups
from tl2hip.dialects.article.tiles import (
    Cast,
    Combined,
    Exponential,
    Index,
    Loaded,
    Mark,
    Negated,
    Number,
    Reduction,
    Store,
    Tensor,
    Tile,
    View,
)
from tl2hip.dtypes import BOOL, DType
from tl2hip.source import nodes
from tl2hip.source.span import Span


@dataclass(slots=True)
class Speller:
    """Turns stores into statements. `fresh` gives names; `results` says how each reduction is read."""

    fresh: Fresh
    variables: dict[Index, str] = field(default_factory=dict)
    results: dict[Reduction, nodes.Expr] = field(default_factory=dict)

    def statements(self, stores: list[Store], outputs: list[Tensor]) -> tuple[nodes.Stmt, ...]:
        """All of the kernel: outputs that are not stored to as a whole are zero first."""
        out: list[nodes.Stmt] = [_zeroed(t) for t in outputs if not any(covers(s.view, t) for s in stores)]
        for group in groups(stores):
            self.results.clear()
            out += self._level(arrange(group), 0)
        return tuple(out)

    # --- loops -------------------------------------------------------------------------------------------

    def _level(self, nest: Nest, level: int) -> list[nodes.Stmt]:
        """What stands inside the outermost `level` loops."""
        out: list[nodes.Stmt] = []
        for placed in nest.placed:
            if placed.level == level:
                out += self._reduction(placed)
        out += [self._store(s) for s in nest.stores if len(s.view.axes) == level]
        if level < len(nest.order):
            axis = nest.order[level]
            out.append(self._loop(axis, self._level(nest, level + 1), ()))
        return out

    def _loop(self, axis: Index, body: list[nodes.Stmt], marks: tuple[Mark, ...]) -> nodes.For:
        """`for i in tiled(range(M), 64, …):`, as plain a range as it can be."""
        at = axis.at
        turns: nodes.Expr = nodes.Call(ours("builtins", "range", at), (axis.extent.expr,), at=at)
        items = [] if axis.block is None else [axis.block.expr]
        items += [nodes.Call(nodes.Name(f"?{m.word}", at=m.at), (m.count.expr,), at=m.at) for m in marks]
        if items:
            turns = nodes.Call(ours("tl2hip", "tiled", at), (turns, *items), at=at)
        return nodes.For(nodes.Name(self._variable(axis), at=at), turns, tuple(body), at=at)

    def _variable(self, axis: Index) -> str:
        if axis not in self.variables:
            self.variables[axis] = self.fresh(axis.name)
        return self.variables[axis]

    def _index(self, axes: Order, at: Span) -> tuple[nodes.Expr, ...]:
        return tuple(nodes.Name(self._variable(axis), at=at) for axis in axes)

    # --- reductions --------------------------------------------------------------------------------------

    def _reduction(self, placed: Placed) -> list[nodes.Stmt]:
        """The accumulator and its loops, around them for an array those over its elements."""
        r = placed.reduction
        at = r.line
        total = nodes.Name(self.fresh(r.hint), at=at)
        if not placed.extra:
            self.results[r] = total
            return self._turns(placed, 0, total, total)
        row = nodes.Name(self.fresh(f"{r.hint}_row"), at=at)
        element = nodes.Subscript(row, self._index(placed.extra, at), at=at)
        shape = nodes.Tuple_(tuple(axis.extent.expr for axis in placed.extra), at=at)
        made = nodes.Call(ours("numpy", "empty", at), (shape, _dtype(r.carried, at)), at=at)
        loops = self._turns(placed, 0, total, element)
        self.results[r] = element
        return [nodes.Assign((row,), made, at=at), *loops]

    def _turns(self, placed: Placed, depth: int, total: nodes.Name, result: nodes.Expr) -> list[nodes.Stmt]:
        """What stands inside the outermost `depth` of a reduction's loops."""
        r, loops, whole = placed.reduction, placed.loops, depth == len(placed.extra)
        out = [s for at, inner in placed.inner if at == depth for s in self._reduction(inner)]
        if whole:
            out.append(nodes.Assign((total,), _start(r, r.line), at=r.line))
        if depth == len(loops):
            return [*out, self._step(r, total, r.line)]
        marks = r.marks if depth == len(loops) - 1 else ()
        out.append(self._loop(loops[depth], self._turns(placed, depth + 1, total, result), marks))
        if whole and result is not total:
            out.append(nodes.Assign((result,), total, at=r.line))
        return out

    def _step(self, r: Reduction, total: nodes.Name, at: Span) -> nodes.Stmt:
        value = self._expr(r.body)
        if r.op == "max":
            call = nodes.Call(ours("numpy", "maximum", at), (total, value), at=at)
            return nodes.Assign((total,), call, at=at)
        if r.body.dtype is not r.carried:
            value = _cast(r.carried, value, r.body.at)
        return nodes.AugAssign(total, "+", value, at=at)

    # --- stores and expressions --------------------------------------------------------------------------

    def _store(self, store: Store) -> nodes.Stmt:
        value = store.value
        expr = value.expr if isinstance(value, Number) else self._expr(value)
        return nodes.Assign((self._place(store.view),), expr, at=store.line)

    def _place(self, view: View) -> nodes.Subscript:
        index = tuple(
            nodes.Name(self._variable(i), at=view.at) if isinstance(i, Index) else i.expr for i in view.indices
        )
        return nodes.Subscript(nodes.Name(view.tensor.name, at=view.at), index, at=view.at)

    def _expr(self, tile: Tile | Number) -> nodes.Expr:
        """One element of a tile."""
        match tile:
            case Number(expr=expr):
                return expr
            case Reduction():
                return self.results[tile]
            case Loaded(view=view):
                return self._place(view)
            case Cast(value=value):
                return _cast(tile.dtype, self._expr(value), tile.at)
            case Combined(op=op, left=left, right=right):
                return nodes.Binary(op, self._expr(left), self._expr(right), at=tile.at)
            case Negated(value=value):
                return nodes.Unary("-", self._expr(value), at=tile.at)
            case Exponential(value=value):
                return nodes.Call(ours("numpy", "exp", tile.at), (self._expr(value),), at=tile.at)
            case _:
                raise AssertionError(tile)


def covers(view: View, tensor: Tensor) -> bool:
    """Whether a store reaches every element of an output."""
    if view.tensor is not tensor:
        return False
    pairs = zip(view.indices, tensor.shape, strict=True)
    return all(isinstance(i, Index) and i.extent.expr == size.expr for i, size in pairs)


def _zeroed(tensor: Tensor) -> nodes.Stmt:
    """An output is zero where nothing is stored."""
    at = tensor.at
    whole = tuple(nodes.Slice(None, None, None, at=at) for _ in tensor.shape)
    zero: nodes.Expr = nodes.Bool(False, at=at) if tensor.dtype is BOOL else nodes.Number(0, at=at)
    return nodes.Assign((nodes.Subscript(nodes.Name(tensor.name, at=at), whole, at=at),), zero, at=at)


def _dtype(dtype: DType, at: Span) -> nodes.Expr:
    return ours("tl2hip", "bool_" if dtype is BOOL else dtype.name, at)


def _cast(dtype: DType, value: nodes.Expr, at: Span) -> nodes.Expr:
    return nodes.Call(_dtype(dtype, at), (value,), at=at)


def _start(r: Reduction, at: Span) -> nodes.Expr:
    """What a reduction starts from, in the dtype it is carried in."""
    if r.op == "sum":
        return _cast(r.carried, nodes.Number(0, at=at), at)
    low = types.lowest(r.carried)
    if low is None:
        infinity = nodes.Unary("-", ours("math", "inf", at), at=at)
        return _cast(r.carried, infinity, at)
    return _cast(r.carried, nodes.Number(low, at=at), at)
