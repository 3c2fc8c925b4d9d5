"""A tile kernel as a function of loops over elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tl2hip.dialects.article.names import OURS, Fresh
from tl2hip.dialects.article.types import dtype_of_word
from tl2hip.dialects.tiles.accesses import overlaps, restless_names
from tl2hip.dialects.tiles.loops import Speller
from tl2hip.dialects.tiles.modes import fused_axes, words
from tl2hip.dialects.tiles.reading import Reader, Tensor
from tl2hip.dialects.tiles.scalars import REAL, TRUTH, UNKNOWN, WHOLE
from tl2hip.dialects.tiles.values import Typed, Variable
from tl2hip.source import nodes
from tl2hip.source.names import local_names, origin
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.problems.tiles import BadTileLoop
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

OPTIONS = frozenset(("tl2hip.strides", "tl2hip.lds", "tl2hip.vec"))
NUMBERS = {"builtins.int": WHOLE, "builtins.float": REAL, "builtins.bool": TRUTH}
LDS = "?Lds"
"""The name of the mark that an `Lds[…]` annotation puts on its tensor."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A kernel spelled as loops, and the module with the names it uses."""

    function: nodes.Function
    module: nodes.Module


def spell(
    function: nodes.Function, module: nodes.Module, report: Report, tiles: Mapping[str, int]
) -> Spelled | None:
    """The kernel as loops over elements, every node at the user's place; None where something was refused."""
    reader = Reader(module, local_names(function), _changing(function), _written(function))
    reader.names.update((p.name, _parameter(p, module)) for p in function.parameters)
    statements = reader.body(_to_its_end(function.body))
    problems = [*reader.problems, *_tile_annotations(function, module)]
    fused = fused_axes(statements)
    if not problems:
        restless = restless_names(statements) | reader.changing | reader.written
        problems += overlaps(statements, fused, restless)
    for problem in problems:
        report.add(problem)
    if problems:
        return None
    sizes: dict[str, nodes.Expr] = {name: nodes.Number(size) for name, size in tiles.items() if size > 0}
    taken = Fresh({*words(function), *module.origins, *(p.name for p in function.parameters)})
    changing = reader.changing | reader.written
    speller = Speller(taken, fused, sizes, lambda e: _mark(e, module), changing)
    try:
        body = speller.body(statements)
        speller.check_marks()
    except Refused as refused:
        report.add(refused.problem)
        return None
    parameters = tuple(_staged(p, reader.staged.get(p.name)) for p in function.parameters)
    made = replace(function, parameters=parameters, body=body)
    return Spelled(made, replace(module, origins={**module.origins, **OURS, LDS: "tl2hip.lds"}))


def _to_its_end(body: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    """A function's body without a `return` of nothing that ends it anyway."""
    match body:
        case (*rest, nodes.Return(value=None | nodes.Nothing())):
            return tuple(rest)
        case _:
            return body


def _changing(function: nodes.Function) -> frozenset[str]:
    """The names that are bound more than once."""
    bound: Counter[str] = Counter(p.name for p in function.parameters)
    for one in walk(function):
        match one:
            case nodes.Assign(targets=targets):
                bound.update(n.id for t in targets for n in _targets(t))
            case nodes.AnnAssign(target=target, value=value) if value is not None:
                bound.update(n.id for n in _targets(target))
            case nodes.AugAssign(target=target):
                bound.update([n.id for n in _targets(target)] * 2)
            case nodes.For(target=target):
                bound.update(n.id for n in _targets(target))
            case _:
                continue
    return frozenset(name for name, count in bound.items() if count > 1)


def _targets(target: nodes.Expr) -> Iterator[nodes.Name]:
    if isinstance(target, nodes.Name):
        yield target
    elif isinstance(target, (nodes.Tuple_, nodes.List_)):
        for item in target.items:
            yield from _targets(item)


def _written(function: nodes.Function) -> frozenset[str]:
    """The names of what is stored into."""
    found: set[str] = set()
    for one in walk(function):
        targets: tuple[nodes.Expr, ...] = ()
        if isinstance(one, nodes.Assign):
            targets = one.targets
        elif isinstance(one, nodes.AugAssign):
            targets = (one.target,)
        for target in targets:
            for part in walk(target):
                if isinstance(part, nodes.Subscript) and isinstance(part.value, nodes.Name):
                    found.add(part.value.id)
    return frozenset(found)


def _parameter(p: nodes.Parameter, module: nodes.Module) -> Tensor | Variable:
    """What a parameter stands for; what is wrong with its annotation is told when the nest is built."""
    e = p.annotation
    if isinstance(e, nodes.Subscript) and e.index and origin(e.value, module) == "tl2hip.Tensor":
        options = [
            part for part in e.index if isinstance(part, nodes.Call) and origin(part.func, module) in OPTIONS
        ]
        return Tensor(p.name, dtype_of_word(origin(e.index[0], module)), len(e.index) - 1 - len(options))
    word = None if e is None else origin(e, module)
    dtype = dtype_of_word(word)
    typed = NUMBERS.get(word or "") or (UNKNOWN if dtype is None else Typed(dtype))
    return Variable(p.name, (), typed, 0)


def _tile_annotations(function: nodes.Function, module: nodes.Module) -> Iterator[BadTileLoop]:
    """A problem for each `i: Tile[…]` of an index tile: its size and marks stand in `tile.range`."""
    local = local_names(function)
    loops = [one for one in walk(function) if isinstance(one, nodes.For) and isinstance(one.iterable, nodes.Call)]
    indices = {
        one.target.id
        for one in loops
        if isinstance(one.target, nodes.Name)
        and isinstance(one.iterable, nodes.Call)
        and origin(one.iterable.func, module, local) == "tl2hip.tile.range"
    }
    for one in walk(function):
        if not isinstance(one, nodes.AnnAssign) or not isinstance(one.target, nodes.Name) or one.value is not None:
            continue
        if one.target.id in indices:
            way = f"write `for {one.target.id} in tile.range(N, 64, waves(2)):`"
            yield BadTileLoop("a Tile stands above a loop over elements, not a tile loop", way, at=one.at)


def _mark(e: nodes.Expr, module: nodes.Module) -> str:
    return (origin(e.func if isinstance(e, nodes.Call) else e, module) or "").removeprefix("tl2hip.")


def _staged(p: nodes.Parameter, staged: Span | None) -> nodes.Parameter:
    """The parameter with the mark that stages it in LDS, where an annotation says so."""
    e = p.annotation
    if staged is None or not isinstance(e, nodes.Subscript):
        return p
    mark = nodes.Call(nodes.Name(LDS, at=staged), (), at=staged)
    return replace(p, annotation=replace(e, index=(*e.index, mark)))
