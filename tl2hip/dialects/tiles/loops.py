"""A tile kernel's statements as loops over elements: the nodes a user would have written without tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tl2hip.dialects.article import types as number_types
from tl2hip.dialects.article.names import Fresh, ours
from tl2hip.dialects.tiles.calls import dtype_node
from tl2hip.dialects.tiles.modes import accumulation, cheap
from tl2hip.dialects.tiles.values import (
    Around,
    Axis,
    IndexOf,
    Keep,
    Let,
    Load,
    Pointwise,
    Put,
    Read,
    Reduce,
    Scalar,
    Statement,
    Tile,
    TileLoop,
    Variable,
    inner,
    reductions,
    union,
)
from tl2hip.dtypes import DType
from tl2hip.source import nodes
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.tiles import BadTileLoop, TileDType
from tl2hip.source.span import Span

Axes = tuple[Axis, ...]
Leaf = Callable[[nodes.Expr], nodes.Stmt]

OUTER = ("serial", "unroll", "stages", "mfma", "group", "split", "xf32")
"""The marks that belong to the loop over tiles; the others belong to the loops over their elements."""

HINTS = {"sum": "total", "max": "largest", "min": "least"}
COMBINES = {"max": "maximum", "min": "minimum"}


@dataclass(slots=True)
class Speller:
    """Turns statements into loops. `fused` are the axes whose tile loop is one loop over elements, `steps` the
    variables of the loops over tiles for those of the others that have a size."""

    fresh: Fresh
    fused: frozenset[Axis]
    tiles: dict[str, nodes.Expr]
    """Sizes set from outside, by the name of the index."""
    mark_of: Callable[[nodes.Expr], str]
    changing: frozenset[str]
    """The names that are bound more than once, and the tensors that are stored into."""
    steps: dict[Axis, str] = field(default_factory=dict)
    arrays: dict[Variable, str] = field(default_factory=dict)
    again: dict[Variable, Tile] = field(default_factory=dict)
    """The locals that are worked out again at each reader."""
    results: dict[Reduce, nodes.Expr] = field(default_factory=dict)
    unmarked: dict[Axis, None] = field(default_factory=dict)
    """The axes with marks for loops over elements, as long as there is none."""

    def body(self, statements: tuple[Statement, ...]) -> tuple[nodes.Stmt, ...]:
        """The statements in order."""
        return tuple(made for s in statements for made in self._statement(s))

    def check_marks(self) -> None:
        """Raises Refused where a mark met no loop."""
        for axis in self.unmarked:
            way = "take the mark out, or compute with the index tile"
            raise Refused(BadTileLoop(f"the elements of `{axis.name}` have no loop to mark", way, at=axis.at))

    def _statement(self, s: Statement) -> list[nodes.Stmt]:
        match s:
            case Keep(statement=statement):
                return [statement]
            case TileLoop():
                return self._tile_loop(s)
            case Around(statement=nodes.If() as branch, bodies=(then, orelse)):
                return [replace(branch, then=self.body(then) or _pass(branch), orelse=self.body(orelse))]
            case Around(statement=nodes.For() as loop, bodies=(body,)):
                return [replace(loop, body=self.body(body) or _pass(loop))]
            case Let():
                return self._let(s)
            case Put():
                return self._put(s)
            case _:
                raise AssertionError(s)

    # --- loops -------------------------------------------------------------------------------------------

    def _tile_loop(self, s: TileLoop) -> list[nodes.Stmt]:
        axis = s.axis
        if axis in self.fused:
            turns, items = _range(axis.at, axis.extent), self._items(axis)
            elements = self._for(axis.name, turns, items, self.body(s.body), axis.at)
            return [replace(elements, blocks=axis.size is not None)]
        if any(self.mark_of(mark) not in OUTER or axis.size is None for mark in axis.marks):
            self.unmarked[axis] = None
        if axis.size is None:
            return list(self.body(s.body))
        step = self.fresh(f"{axis.name}_tile")
        self.steps[axis] = step
        turns = _range(axis.at, nodes.Number(0, at=axis.at), axis.extent, self._size(axis))
        marks = tuple(mark for mark in axis.marks if self.mark_of(mark) in OUTER)
        return [self._for(step, turns, marks, self.body(s.body), axis.at)]

    def _size(self, axis: Axis) -> nodes.Expr:
        assert axis.size is not None
        return self.tiles.get(axis.name, axis.size)

    def _items(self, axis: Axis) -> tuple[nodes.Expr, ...]:
        return axis.marks if axis.size is None else (axis.size, *axis.marks)

    def _for(
        self, name: str, turns: nodes.Expr, items: tuple[nodes.Expr, ...], body: tuple[nodes.Stmt, ...], at: Span
    ) -> nodes.For:
        if items:
            turns = nodes.Call(ours("tl2hip", "tiled", at), (turns, *items), at=at)
        return nodes.For(nodes.Name(name, at=at), turns, body or (nodes.Pass(at=at),), at=at)

    def _elements(self, axis: Axis, body: list[nodes.Stmt]) -> nodes.For:
        """The loop over the elements of one tile."""
        self.unmarked.pop(axis, None)
        if axis not in self.steps:
            return self._for(axis.name, _range(axis.at, axis.extent), axis.marks, tuple(body), axis.at)
        start = nodes.Name(self.steps[axis], at=axis.at)
        stop = nodes.Binary("+", start, self._size(axis), at=axis.at)
        least = nodes.Call(ours("builtins", "min", axis.at), (stop, axis.extent), at=axis.at)
        marks = tuple(mark for mark in axis.marks if self.mark_of(mark) not in OUTER)
        if not isinstance(self._size(axis), nodes.Number):
            # a parameter is a compile-time constant where it stands in a mark
            marks = (self._size(axis), *marks)
        return self._for(axis.name, _range(axis.at, start, least), marks, tuple(body), axis.at)

    # --- statements --------------------------------------------------------------------------------------

    def _kept(self, axes: Axes) -> Axes:
        """The axes that need loops of their own, or arrays."""
        return tuple(axis for axis in axes if axis not in self.fused)

    def _let(self, s: Let) -> list[nodes.Stmt]:
        loops = self._kept(s.variable.axes)
        if loops and s.new and s.variable.name not in self.changing and cheap(s.value, self.changing):
            self.again[s.variable] = s.value
            return []
        out = self._made(s.variable, loops, s.at) if loops and s.new else []
        target = self._local(s.variable, s.at)
        r = accumulation(s)
        if r is not None and any(axis in self.fused for axis in r.over):
            rest = self._kept(r.over)
            return [*out, *self._loops(r.body, (*loops, *rest), (), lambda e: _step(r, target, e, s.at))]
        if s.op and isinstance(s.value, Pointwise):
            added = s.value.parts[1]
            return [*out, *self._loops(added, loops, (), lambda e: nodes.AugAssign(target, s.op, e, at=s.at))]
        return [*out, *self._loops(s.value, loops, (), lambda e: nodes.Assign((target,), e, at=s.at))]

    def _made(self, variable: Variable, loops: Axes, at: Span) -> list[nodes.Stmt]:
        if variable.typed.dtype is None:
            raise Refused(TileDType(f"`{variable.name}`", at=at))
        self.arrays[variable] = self.fresh(f"{variable.name}_tile")
        return [self._empty(self.arrays[variable], loops, variable.typed.dtype, at)]

    def _empty(self, name: str, axes: Axes, dtype: DType, at: Span) -> nodes.Stmt:
        sizes = tuple(self._size(a) if a in self.steps else a.extent for a in axes)
        shape = nodes.Tuple_(sizes, at=at)
        made = nodes.Call(ours("numpy", "empty", at), (shape, dtype_node(dtype, at)), at=at)
        return nodes.Assign((nodes.Name(name, at=at),), made, at=at)

    def _local(self, variable: Variable, at: Span) -> nodes.Expr:
        """One element of a local: the local itself where it is a single value."""
        axes = self._kept(variable.axes)
        if not axes:
            return nodes.Name(variable.name, at=at)
        return self._element(self.arrays[variable], axes, at)

    def _element(self, array: str, axes: Axes, at: Span) -> nodes.Expr:
        index: list[nodes.Expr] = []
        for axis in axes:
            place: nodes.Expr = nodes.Name(axis.name, at=at)
            if axis in self.steps:
                place = nodes.Binary("-", place, nodes.Name(self.steps[axis], at=at), at=at)
            index.append(place)
        return nodes.Subscript(nodes.Name(array, at=at), tuple(index), at=at)

    def _put(self, s: Put) -> list[nodes.Stmt]:
        loops = self._kept(union(*(part.axes for part in s.index)))
        target = nodes.Subscript(
            nodes.Name(s.tensor, at=s.place_at), tuple(map(self._expr, s.index)), at=s.place_at
        )

        def leaf(e: nodes.Expr) -> nodes.Stmt:
            return nodes.AugAssign(target, s.op, e, at=s.at) if s.op else nodes.Assign((target,), e, at=s.at)

        return self._loops(s.value, loops, (), leaf)

    # --- reductions --------------------------------------------------------------------------------------

    def _loops(self, value: Tile, loops: Axes, opened: Axes, leaf: Leaf) -> list[nodes.Stmt]:
        """Loops with a leaf of the value's element, and each reduction in it as far outside as its axes let it."""
        made: dict[int, list[nodes.Stmt]] = {}
        if not opened:
            made[0] = [one for r in _reentered(value, frozenset(loops)) for one in self._ahead(r)]
        for r in reductions(value):
            if r in self.results:
                continue
            axes = tuple(a for a in self._kept(r.axes) if a not in opened)
            depth = next((d for d in range(len(loops) + 1) if set(loops[:d]) == set(axes)), None)
            if depth is None:
                made.setdefault(0, []).extend(self._row(r, axes, opened))
                continue
            total = nodes.Name(self.fresh(HINTS[r.op]), at=r.at)
            self.results[r] = total
            made.setdefault(depth, []).extend(self._reduction(r, total, (*opened, *loops[:depth])))
        out = [*made.get(len(loops), []), leaf(self._expr(value))]
        for depth in reversed(range(len(loops))):
            out = [*made.get(depth, []), self._elements(loops[depth], out)]
        return out

    def _reduction(self, r: Reduce, total: nodes.Expr, opened: Axes) -> list[nodes.Stmt]:
        start = nodes.Assign((total,), _start(r), at=r.at)
        return [start, *self._loops(r.body, r.over, opened, lambda e: _step(r, total, e, r.at))]

    def _ahead(self, r: Reduce) -> list[nodes.Stmt]:
        """A reduction worked out before all loops of its statement."""
        axes = self._kept(r.axes)
        if axes:
            return self._row(r, axes, ())
        total = nodes.Name(self.fresh(HINTS[r.op]), at=r.at)
        self.results[r] = total
        return self._reduction(r, total, ())

    def _row(self, r: Reduce, axes: Axes, opened: Axes) -> list[nodes.Stmt]:
        """A reduction for each element of some axes, kept in an array."""
        row, total = self.fresh(f"{HINTS[r.op]}_tile"), nodes.Name(self.fresh(HINTS[r.op]), at=r.at)
        place = self._element(row, axes, r.at)
        self.results[r] = place
        out = [*self._reduction(r, total, (*opened, *axes)), nodes.Assign((place,), total, at=r.at)]
        for axis in reversed(axes):
            out = [self._elements(axis, out)]
        return [self._empty(row, axes, r.carried, r.at), *out]

    # --- expressions -------------------------------------------------------------------------------------

    def _expr(self, tile: Tile) -> nodes.Expr:
        """One element of a tile."""
        match tile:
            case Scalar(expr=expr):
                return expr
            case IndexOf(axis=axis):
                return nodes.Name(axis.name, at=tile.at)
            case Load(tensor=tensor, index=index):
                return nodes.Subscript(nodes.Name(tensor, at=tile.at), tuple(map(self._expr, index)), at=tile.at)
            case Read(variable=variable) if variable in self.again:
                return self._expr(self.again[variable])
            case Read(variable=variable):
                return self._local(variable, tile.at)
            case Pointwise(parts=parts, make=make):
                return make(tuple(map(self._expr, parts)))
            case Reduce():
                return self.results[tile]
            case _:
                raise AssertionError(tile)


def _reentered(tile: Tile, around: frozenset[Axis]) -> Iterator[Reduce]:
    """The reductions over an axis whose loop would be around them already, the innermost first."""
    if isinstance(tile, Reduce):
        yield from _reentered(tile.body, around.union(tile.body.axes))
        if around & set(tile.over):
            yield tile
        return
    for part in inner(tile):
        yield from _reentered(part, around)


def _pass(s: nodes.Stmt) -> tuple[nodes.Stmt, ...]:
    return (nodes.Pass(at=s.at),)


def _range(at: Span, *bounds: nodes.Expr) -> nodes.Expr:
    return nodes.Call(ours("builtins", "range", at), bounds, at=at)


def _step(r: Reduce, total: nodes.Expr, value: nodes.Expr, at: Span) -> nodes.Stmt:
    """One more element of a reduction."""
    if r.op == "sum":
        return nodes.AugAssign(total, "+", value, at=at)
    call = nodes.Call(ours("numpy", COMBINES[r.op], at), (total, value), at=at)
    return nodes.Assign((total,), call, at=at)


def _start(r: Reduce) -> nodes.Expr:
    """What a reduction starts from, in the dtype it is carried in."""
    if r.op == "sum":
        first: nodes.Expr = nodes.Number(0, at=r.at)
    elif r.carried.is_float:
        first = ours("math", "inf", r.at)
        first = nodes.Unary("-", first, at=r.at) if r.op == "max" else first
    else:
        low = number_types.lowest(r.carried)
        assert low is not None
        first = nodes.Number(low if r.op == "max" else -low - 1 if low else 2**r.carried.bits - 1, at=r.at)
    return nodes.Call(dtype_node(r.carried, r.at), (first,), at=r.at)
