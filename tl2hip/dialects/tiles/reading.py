"""Reads the statements of a tile kernel into the small tree of `values`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tl2hip.dialects.article.types import dtype_of_word
from tl2hip.dialects.tiles import calls, expressions
from tl2hip.dialects.tiles.scalars import UNKNOWN, WHOLE, scalar_type
from tl2hip.dialects.tiles.values import (
    Around,
    Axis,
    IndexOf,
    Keep,
    Let,
    Load,
    Pointwise,
    Put,
    Scalar,
    Statement,
    Tile,
    TileLoop,
    Typed,
    Variable,
    tree,
)
from tl2hip.dtypes import DType
from tl2hip.source import nodes
from tl2hip.source.names import origin
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.problems.tiles import BadTileLoop, NotInTiles, TileAxes, TileChanges
from tl2hip.source.span import Span
from tl2hip.source.walk import bound, target_names, walk

MARKS = frozenset(
    f"tl2hip.{name}"
    for name in ("waves", "lanes", "vec", "unroll", "serial", "stages", "mfma", "group", "split", "xf32")
)


class Poisoned(Exception):
    """Raised where a name is read whose own statement was refused: that has been told."""


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    dtype: DType | None
    rank: int


@dataclass(frozen=True, slots=True)
class Gone:
    """A name that cannot be read any more; `reason` None where that has been told."""

    reason: str | None


Meaning = Axis | Variable | Tensor | Gone


@dataclass(slots=True)
class Reader:
    """One reading of a kernel. `changing` are names bound more than once, `written` the tensors stored into."""

    module: nodes.Module
    local: frozenset[str]
    changing: frozenset[str]
    written: frozenset[str]
    names: dict[str, Meaning] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    staged: dict[str, Span] = field(default_factory=dict)
    """The tensors that an `Lds[…]` annotation stages, with its place."""
    block: int = 0
    blocks: int = 0

    # --- statements --------------------------------------------------------------------------------------

    def body(self, statements: tuple[nodes.Stmt, ...]) -> tuple[Statement, ...]:
        """Reads statements in order; a refused one leaves its names unreadable."""
        found: list[Statement] = []
        for s in statements:
            try:
                found += self._statement(s)
            except (Refused, Poisoned) as stop:
                if isinstance(stop, Refused):
                    self.problems.append(stop.problem)
                self.names |= {name: Gone(None) for name in bound(s)}
        return tuple(found)

    def _statement(self, s: nodes.Stmt) -> Iterator[Statement]:
        match s:
            case nodes.For(iterable=nodes.Call(func=func) as call) if self.means(func) == "tl2hip.tile.range":
                yield self._tile_loop(s, call)
            case nodes.For():
                yield self._loop(s)
            case nodes.If(test=test, then=then, orelse=orelse):
                expressions.no_tiles(self, test, "an `if` on a tile", "choose elements with np.where")
                yield Around(s, (self._inside(then), self._inside(orelse)))
            case nodes.Assign(targets=(nodes.Name() as target,), value=value):
                yield from self._assign(target, value, "", s.at)
            case nodes.AugAssign(target=nodes.Name() as target, op=op, value=value):
                yield from self._assign(target, nodes.Binary(op, target, value, at=s.at), op, s.at)
            case nodes.Assign(targets=(nodes.Subscript() as target,), value=value):
                yield self._put(target, value, "", s.at)
            case nodes.AugAssign(target=nodes.Subscript() as target, op=op, value=value):
                yield self._put(target, value, op, s.at)
            case nodes.Assign(targets=targets, value=value):
                yield self._several(s, targets, value)
            case nodes.AnnAssign():
                yield from self._annotated(s)
            case nodes.Assert(test=test):
                expressions.no_tiles(self, test, "an assertion on tiles", "assert something of the sizes")
                yield Keep(s)
            case nodes.Pass() | nodes.Evaluate(value=nodes.Text()):
                return
            case _:
                raise Refused(NotInTiles(*_described(s), at=s.at))

    # --- loops and branches ------------------------------------------------------------------------------

    def _tile_loop(self, s: nodes.For, call: nodes.Call) -> TileLoop:
        axis = self._axis(s.target, call)
        with self._block():
            self.names[axis.name] = axis
            body = self.body(s.body)
        self.names[axis.name] = Gone(f"the tile loop over `{axis.name}` has ended")
        return TileLoop(axis, body)

    def _axis(self, target: nodes.Expr, call: nodes.Call) -> Axis:
        if not isinstance(target, nodes.Name):
            raise Refused(BadTileLoop("a tile loop has one index tile", at=target.at))
        if isinstance(self.names.get(target.id), (Axis, Variable, Tensor)):
            way = "give the index tile a name of its own"
            raise Refused(
                BadTileLoop(f"`{target.id}` stands for something else around this loop", way, at=target.at)
            )
        if not call.args or call.keywords:
            raise Refused(BadTileLoop("tile.range takes an extent, then a size, marks, or both", at=call.at))
        extent, *rest = call.args
        calls.check_extent(self, extent)
        size = rest[0] if rest and not self._is_mark(rest[0]) else None
        if size is not None:
            expressions.no_tiles(self, size, "a tile as a size", "write the size as a number")
        marks = tuple(rest[1:] if size is not None else rest)
        for mark in marks:
            if not self._is_mark(mark):
                way = (
                    "marks are waves(n), lanes(n), vec(n), unroll(n), stages(n), mfma(n), group(n), split(n), "
                    "serial and xf32"
                )
                raise Refused(BadTileLoop("the size of a tile stands once, and marks after it", way, at=mark.at))
        return Axis(target.id, extent, size, marks, target.at.to(call.at))

    def _is_mark(self, e: nodes.Expr) -> bool:
        return self.means(e.func if isinstance(e, nodes.Call) else e) in MARKS

    def _loop(self, s: nodes.For) -> Around:
        way = "loop over a tile with `for i in tile.range(M, 64):`"
        expressions.no_tiles(self, s.iterable, "an ordinary loop over a tile", way)
        counts = isinstance(s.iterable, nodes.Call) and self.means(s.iterable.func) == "builtins.range"
        names = tuple(target_names(s.target))
        for name in names:
            if isinstance(self.names.get(name), (Axis, Tensor)) or self._is_tile(name):
                raise Refused(BadTileLoop(f"`{name}` stands for something else around this loop", at=s.target.at))
        with self._block():
            self.names |= {n: Variable(n, (), WHOLE if counts else UNKNOWN, self.block) for n in names}
            body = self.body(s.body)
        self.names |= {name: Gone("a loop without turns gives it no value") for name in names}
        return Around(s, (body,))

    def _is_tile(self, name: str) -> bool:
        found = self.names.get(name)
        return isinstance(found, Variable) and bool(found.axes)

    @contextmanager
    def _block(self) -> Iterator[None]:
        """A body of its own: names first bound inside cannot be read after it."""
        outer, before = self.block, dict(self.names)
        self.blocks += 1
        self.block = self.blocks
        try:
            yield
        finally:
            made = [n for n in self.names if not isinstance(before.get(n), (Axis, Variable, Tensor))]
            poisoned = {n: g for n, g in self.names.items() if isinstance(g, Gone) and g.reason is None}
            gone = {n: Gone("it is made in a loop or branch that has ended") for n in made}
            self.names = before | gone | poisoned
            self.block = outer

    def _inside(self, statements: tuple[nodes.Stmt, ...]) -> tuple[Statement, ...]:
        with self._block():
            return self.body(statements)

    # --- assignments -------------------------------------------------------------------------------------

    def _assign(self, target: nodes.Name, value: nodes.Expr, op: str, at: Span) -> Iterator[Statement]:
        name = target.id
        if isinstance(value, nodes.Call) and self.means(value.func) == "tl2hip.tile.all":
            if isinstance(self.names.get(name), (Axis, Variable, Tensor)):
                way = "give the index tile a name of its own"
                raise Refused(BadTileLoop(f"`{name}` stands for something else already", way, at=target.at))
            self.names[name] = calls.whole(self, value, name)
            return
        if isinstance(self.names.get(name), (Axis, Tensor)):
            way = "give the value a name of its own"
            raise Refused(NotInTiles(f"a value for `{name}`, an index tile or a tensor,", way, at=at))
        found, old = expressions.tile(self, value), self.names.get(name)
        if op and isinstance(old, Variable) and isinstance(found, Pointwise) and set(found.axes) == set(old.axes):
            found = replace(found, axes=old.axes, ordered=old.ordered)
        yield from self._bind(name, found, op, at)

    def _bind(self, name: str, value: Tile, op: str, at: Span) -> Iterator[Statement]:
        old = self.names.get(name)
        kind = (value.axes, value.typed, value.ordered)
        if isinstance(old, Variable) and old.alias is None and (old.axes, old.typed, old.ordered) == kind:
            yield Let(old, value, False, op, at)
            return
        if isinstance(old, Variable) and old.block != self.block:
            raise Refused(TileChanges(name, _kind(old), _kind(value), at=at))
        once = name not in self.changing or value.typed.weak
        alias = value if value.axes and once and self._repeatable(value) else None
        if value.typed.weak and value.axes and alias is None:
            way = "give a number that changes another name each time, or cast the tile: `f32(…)`"
            raise Refused(NotInTiles("arithmetic on an index tile and a number that changes", way, at=value.at))
        made = Variable(name, value.axes, value.typed, self.block, value.ordered, alias)
        self.names[name] = made
        if alias is None:
            yield Let(made, value, True, op, at)

    def _repeatable(self, value: Tile) -> bool:
        """Whether a tile can be written down at each of its readers: nothing in it is computed or changes."""
        for part in tree(value):
            match part:
                case IndexOf():
                    continue
                case Load(tensor=tensor):
                    steady = tensor not in self.written
                case Scalar(expr=expr):
                    names = {n.id for n in walk(expr) if isinstance(n, nodes.Name)}
                    steady = not names & (self.changing | self.written)
                case Pointwise(op=op):
                    steady = part.typed.weak or op in ("cast", "view")
                case _:
                    steady = False
            if not steady:
                return False
        return True

    def _put(self, target: nodes.Subscript, value: nodes.Expr, op: str, at: Span) -> Put:
        tensor, index = expressions.place(self, target)
        stored = expressions.tile(self, value)
        axes = [axis for part in index for axis in part.axes]
        for axis in stored.axes:
            if axis not in axes:
                reason = f"the tile has the axis {axis.name}, and the place it is stored to has not"
                way = f"reduce it over {axis.name} first, or store it where {axis.name} is an index"
                raise Refused(TileAxes(reason, way, at=at))
        return Put(tensor, index, stored, op, at, target.at)

    def _several(self, s: nodes.Assign, targets: tuple[nodes.Expr, ...], value: nodes.Expr) -> Keep:
        expressions.no_tiles(self, value, "binding tiles to several names at once", "give each a line of its own")
        shape = isinstance(value, nodes.Attribute) and value.name == "shape"
        for name in (n for target in targets for n in target_names(target)):
            if isinstance(self.names.get(name), (Axis, Tensor)) or self._is_tile(name):
                raise Refused(NotInTiles("binding several names at once, one of them a tile,", at=s.at))
            self.names[name] = Variable(name, (), WHOLE if shape else UNKNOWN, self.block)
        if any(isinstance(n, nodes.Subscript) for target in targets for n in walk(target)):
            raise Refused(NotInTiles("storing into several places at once", "give each a line of its own", at=s.at))
        return Keep(s)

    def _annotated(self, s: nodes.AnnAssign) -> Iterator[Statement]:
        target, value, annotation = s.target, s.value, s.annotation
        if not isinstance(target, nodes.Name):
            raise Refused(NotInTiles("an annotation of anything but a name", at=s.at))
        if value is None:
            yield Keep(s)
            return
        base = annotation.value if isinstance(annotation, nodes.Subscript) else annotation
        lds = self.means(base) == "tl2hip.Lds"
        word = annotation.index[0] if lds and isinstance(annotation, nodes.Subscript) else annotation
        dtype = dtype_of_word(self.means(word))
        found = expressions.tile(self, value)
        if dtype is None or dtype is not found.typed.dtype or found.typed.weak:
            reason = f"the value is {found.typed}, which is not what its annotation says"
            raise Refused(
                BadTileLoop(reason, "annotate it with its dtype, such as `a: Lds[f16]`", at=annotation.at)
            )
        if lds:
            if not isinstance(found, Load):
                way = "write `a: Lds[f16] = A[i, k]`, and compute with `a`"
                raise Refused(NotInTiles("Lds of anything but a tile of a tensor", way, at=annotation.at))
            self.staged.setdefault(found.tensor, annotation.at)
        yield from self._bind(target.id, found, "", s.at)

    # --- names -------------------------------------------------------------------------------------------

    def means(self, e: nodes.Expr) -> str | None:
        """The dotted origin of a name or attribute chain."""
        return origin(e, self.module, self.local)

    def meaning(self, e: nodes.Name) -> Meaning | None:
        """What a local name stands for. Raises Refused where it cannot be read any more."""
        found = self.names.get(e.id)
        if isinstance(found, Gone):
            if found.reason is None:
                raise Poisoned
            way = "use it inside that loop, or carry a value made before it: `acc = tile.zeros(i, dtype=f32)`"
            raise Refused(TileAxes(f"`{e.id}` cannot be read here: {found.reason}", way, at=e.at))
        return found

    def rank(self, name: str) -> int:
        """The number of axes of a tensor."""
        found = self.names[name]
        assert isinstance(found, Tensor)
        return found.rank

    def typed(self, e: nodes.Expr) -> Typed:
        """The type of an expression without tiles."""
        names: dict[str, Typed] = {}
        for name, found in self.names.items():
            if isinstance(found, Variable):
                names[name] = found.typed
            elif isinstance(found, Tensor):
                names[name] = Typed(found.dtype)
        return scalar_type(e, names, self.means, self.module)


def _kind(x: Variable | Tile) -> str:
    if not x.axes:
        return str(x.typed)
    return f"{x.typed} over {', '.join(axis.name for axis in x.axes)}{'' if x.ordered else ' in no order'}"


def _described(s: nodes.Stmt) -> tuple[str, str]:
    match s:
        case nodes.While():
            return "a `while`", "write a `for` over a range"
        case nodes.Return(value=None | nodes.Nothing()):
            return "a `return` before the end of the function", "choose elements with np.where"
        case nodes.Return():
            return "a return of a value", "store the result into a tensor that is passed: `C[i, j] = acc`"
        case nodes.Break() | nodes.Continue():
            return "a jump out of a turn", "choose elements with np.where"
        case _:
            return "this statement", "store tiles with `C[i, j] = x`"
