"""Reads the statements of an article kernel: what it declares, what its tiles are, what it stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tl2hip.dialects.article import calls, numbers, operations
from tl2hip.dialects.article.tiles import (
    Compiled,
    Index,
    Mark,
    Marking,
    Meaning,
    Number,
    Several,
    Store,
    Tensor,
    Tile,
    View,
    Word,
)
from tl2hip.source import nodes
from tl2hip.source.names import origin
from tl2hip.source.problems.article import BadTileIndex, NothingToMark, NotInArticle
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.problems.types import MaybeUndefined
from tl2hip.source.span import Span


class Poisoned(Exception):
    """Raised where a name is read whose own statement was refused: that has been told."""


@dataclass(slots=True)
class Reader:
    """One reading of a kernel. `kept` are the numbers of the indices that some store has: the first reading
    finds them, and only in the second are the indices of tiles right."""

    module: nodes.Module
    local: frozenset[str]
    open: frozenset[str]
    """Names that stand for sizes known at run time only: parameters without a value, and the file's dims."""
    kept: frozenset[int]
    function: str
    names: dict[str, Meaning | None] = field(default_factory=dict)
    """What each name stands for; None where its statement was refused."""
    tensors: list[Tensor] = field(default_factory=list)
    indices: list[Index] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    asserts: list[nodes.Assert] = field(default_factory=list)
    stored: set[int] = field(default_factory=set)
    markings: list[Marking] = field(default_factory=list)
    everywhere: list[Marking] = field(default_factory=list)
    """The options of CompileKernel: marks for every loop over an index that no store has."""
    problems: list[Problem] = field(default_factory=list)
    hint: str = ""
    line: Span = field(default_factory=lambda: Span(0, 0, 0, 0))

    # --- statements --------------------------------------------------------------------------------------

    def body(self, statements: tuple[nodes.Stmt, ...]) -> None:
        """Reads statements in order; a refused one leaves its names unreadable."""
        for s in statements:
            self.line, self.hint = s.at, ""
            try:
                self._statement(s)
            except (Refused, Poisoned) as stop:
                if isinstance(stop, Refused):
                    self.problems.append(stop.problem)
                for name in _targets(s):
                    self.names[name] = None

    def _statement(self, s: nodes.Stmt) -> None:
        match s:
            case nodes.Assign(targets=targets, value=value):
                self.hint = targets[0].id if isinstance(targets[0], nodes.Name) else ""
                found = self._declared(targets[0], value)
                for target in targets:
                    self._bind(target, found)
            case nodes.AnnAssign(target=nodes.Name(id=name), value=value) if value is not None:
                self.hint = name
                self.names[name] = self.value(value)
            case nodes.AugAssign(target=nodes.Name(id=name) as target, op=op, value=value):
                left, right = self.value(target), self.value(value)
                self.hint = name
                self.names[name] = operations.binary(self, op, left, right, s.at)
            case nodes.Evaluate(value=nodes.Text()) | nodes.Pass():
                return
            case nodes.Evaluate(value=nodes.Call(func=nodes.Attribute(name="store")) as call):
                self._store(call)
            case nodes.With(context=context, body=inner):
                with self._marked(context):
                    self.body(inner)
            case nodes.Assert():
                self._assert(s)
            case nodes.Return():
                self._return(s)
            case _:
                raise Refused(NotInArticle(_described(s), at=s.at))

    def _declared(self, target: nodes.Expr, value: nodes.Expr) -> Meaning:
        """The value of an assignment; a TileLoop names its indices after what they are bound to."""
        if isinstance(value, nodes.Call) and self.means(value.func) == "tl2hip.TileLoop":
            return calls.tile_loop(self, value, _written(target))
        return self.value(value)

    def _bind(self, target: nodes.Expr, found: Meaning) -> None:
        if isinstance(target, nodes.Name):
            self.names[target.id] = found
            return
        if not isinstance(target, (nodes.Tuple_, nodes.List_)):
            way = "store a tile with `C[i, j].store(x)`"
            raise Refused(NotInArticle("an assignment to anything but names", way, at=target.at))
        if not isinstance(found, Several) or len(found.items) != len(target.items):
            count = len(found.items) if isinstance(found, Several) else 1
            reason = f"{len(target.items)} names are bound to {count} value{'s' if count != 1 else ''}"
            raise Refused(BadTileIndex(reason, "give a TileLoop one name for each extent", at=target.at))
        for one, item in zip(target.items, found.items, strict=True):
            self._bind(one, item)

    def _store(self, call: nodes.Call) -> None:
        assert isinstance(call.func, nodes.Attribute)
        view = self.value(call.func.value)
        if not isinstance(view, View):
            raise Refused(NotInArticle("`.store` of this", "store into a place: `C[i, j].store(x)`", at=call.at))
        if len(call.args) != 1 or call.keywords:
            raise Refused(NotInArticle("this call of `.store`", "store takes one tile", at=call.at))
        if not view.tensor.output:
            way = "store into an OutputTensor"
            raise Refused(NotInArticle(f"a store into {view.tensor.name}, an input,", way, at=call.at))
        self.stored |= {axis.number for axis in view.axes}
        value = self.value(call.args[0])
        if not isinstance(value, (Tile, Number)):
            way = "load tensors first: `A[i, k].load()`"
            raise Refused(NotInArticle("a store of anything but a tile or a number", way, at=call.args[0].at))
        full = value if isinstance(value, Number) else operations.summed(self, value, view, call.at)
        self.stores.append(Store(view, full, self.line))

    @contextmanager
    def _marked(self, context: nodes.Expr) -> Iterator[None]:
        """What stands inside takes the mark; refused where nothing does."""
        marking = calls.context(self, context)
        self.markings.append(marking)
        try:
            yield
        finally:
            self.markings.pop()
        if not marking.used:
            self.problems.append(NothingToMark(marking.mark.word, at=context.at))

    def marks(self) -> tuple[Mark, ...]:
        """The marks around what is being read, taken by a loop."""
        return _taken(self.markings)

    def options(self, wanted: Callable[[str], bool]) -> tuple[Mark, ...]:
        """The marks of CompileKernel for a loop, those whose word is wanted; the others gave way to nearer ones."""
        return tuple(mark for mark in _taken(self.everywhere) if wanted(mark.word))

    def _assert(self, s: nodes.Assert) -> None:
        test = self._filled(s.test)
        if test is not None:
            self.asserts.append(replace(s, test=test))

    def _filled(self, e: nodes.Expr) -> nodes.Expr:
        """A test on sizes with the known parameters filled in."""
        match e:
            case nodes.Compare(first=first, rest=rest):
                return replace(e, first=self._filled(first), rest=tuple(map(self._filled, rest)))
            case nodes.Logic(values=values):
                return replace(e, values=tuple(map(self._filled, values)))
            case nodes.Unary(op="not", value=value):
                return replace(e, value=self._filled(value))
            case _:
                return self.number(e, "an assertion on anything but sizes").expr

    def _return(self, s: nodes.Return) -> None:
        if s.value is None or isinstance(s.value, nodes.Nothing):
            return
        found = self.value(s.value)
        if not isinstance(found, Compiled):
            way = "outputs are declared with tl.OutputTensor; return tl.CompileKernel(…) or nothing"
            raise Refused(NotInArticle("a return of this", way, at=s.at))

    # --- expressions -------------------------------------------------------------------------------------

    def means(self, e: nodes.Expr) -> str | None:
        """The dotted origin of a name or attribute chain."""
        return origin(e, self.module, self.local)

    def value(self, e: nodes.Expr) -> Meaning:
        """What an expression stands for. Raises Refused where it stands for nothing."""
        hint, self.hint = self.hint, ""
        match e:
            case nodes.Name():
                return self._name(e)
            case nodes.Number(value=value):
                return numbers.literal(value, e.at)
            case nodes.Bool(value=value):
                return Number(e, int(value), real=False)
            case nodes.Text() | nodes.Nothing():
                return Word(e)
            case nodes.Tuple_(items=items) | nodes.List_(items=items):
                return Several(tuple(map(self.value, items)))
            case nodes.Unary(op=op, value=inner):
                return operations.unary(op, self.value(inner), e.at)
            case nodes.Binary(op=op, left=left, right=right):
                return operations.binary(self, op, self.value(left), self.value(right), e.at)
            case nodes.Subscript(value=base, index=index):
                return operations.item(self, self.value(base), index, e.at)
            case nodes.Call():
                if self.means(e.func) == "tl2hip.CompileKernel":
                    return self._compiled(e)
                return calls.call(self, e, hint)
            case nodes.Attribute():
                return self._attribute(e)
            case _:
                raise Refused(NotInArticle("this expression", at=e.at))

    def _compiled(self, e: nodes.Call) -> Compiled:
        """`tl.CompileKernel(f)` of the function being read; its options are read with the parameters."""
        first = e.args[0] if e.args else None
        if not isinstance(first, nodes.Name) or first.id != self.function or first.id in self.local:
            way = f"write `tl.CompileKernel({self.function})`; compile other functions at file level"
            raise Refused(NotInArticle("CompileKernel of anything but this function", way, at=e.at))
        return Compiled()

    def _name(self, e: nodes.Name) -> Meaning:
        if e.id in self.names:
            found = self.names[e.id]
            if found is None:
                raise Poisoned
            return found
        if e.id in self.open:
            return numbers.unknown(e.id, e.at)
        if e.id in self.local:
            reason = "nothing is assigned to it before this line"
            raise Refused(MaybeUndefined(e.id, reason, "it is read", at=e.at))
        if (self.means(e) or ".").startswith("."):
            return numbers.of_file(e, self.module)
        return self._attribute(e)

    def _attribute(self, e: nodes.Name | nodes.Attribute) -> Meaning:
        name = self.means(e)
        if name is None and isinstance(e, nodes.Attribute):
            tensor = self.value(e.value)
            if isinstance(tensor, Tensor) and e.name == "shape":
                return Several(tensor.shape)
        if name is None:
            raise Refused(NotInArticle("this attribute", at=e.at))
        if name.startswith("math.") and isinstance(e, nodes.Attribute):
            return numbers.of_file(e, self.module)
        return Word(e)

    def number(self, e: nodes.Expr, what: str) -> Number:
        """An expression that must be a number."""
        found = self.value(e)
        if not isinstance(found, Number):
            raise Refused(NotInArticle(what, "write a number, or arithmetic on sizes", at=e.at))
        return found


def _taken(markings: list[Marking]) -> tuple[Mark, ...]:
    for marking in markings:
        marking.used = True
    return tuple(marking.mark for marking in markings)


def _targets(s: nodes.Stmt) -> Iterator[str]:
    targets: tuple[nodes.Expr, ...] = ()
    match s:
        case nodes.Assign(targets=found):
            targets = found
        case nodes.AnnAssign(target=target) | nodes.AugAssign(target=target) | nodes.For(target=target):
            targets = (target,)
        case _:
            return
    for target in targets:
        items = target.items if isinstance(target, (nodes.Tuple_, nodes.List_)) else (target,)
        yield from (item.id for item in items if isinstance(item, nodes.Name))


def _written(target: nodes.Expr) -> tuple[nodes.Expr, ...]:
    return target.items if isinstance(target, (nodes.Tuple_, nodes.List_)) else ()


def _described(s: nodes.Stmt) -> str:
    match s:
        case nodes.For() | nodes.While():
            return "a loop"
        case nodes.If():
            return "an `if`"
        case _:
            return "this statement"
