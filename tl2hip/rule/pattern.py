"""pattern: the left side of a rule as a term over its holes, by the same read → nest as user code.

`Fn` is read as an array, `f(i, k)` as its element; an `Axis` is a loop around everything, an `Extent` a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType

from tl2hip.nest import ir
from tl2hip.nest.bounds import prove
from tl2hip.nest.build import build
from tl2hip.nest.walk import all_parts, map_stmts
from tl2hip.rule.holes import KINDS
from tl2hip.rule.meaning import MARKERS, OPERATIONS, ROUNDING, STAND_INS
from tl2hip.rule.sites import Site, View
from tl2hip.rule.view import view
from tl2hip.source import nodes
from tl2hip.source.names import origin
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.span import Span
from tl2hip.source.walk import N, map_parts, walk

OUT = "_value"
_MARKERS = tuple(f"tl2hip.rule.{name}" for name in MARKERS)
_ORIGINS = {
    "_Tensor": "tl2hip.Tensor",
    "_f64": "tl2hip.f64",
    "_dims": "tl2hip.dims",
    **{f"_{op}": f"numpy.{op}" for op in (*STAND_INS, ROUNDING, "maximum", "minimum")},
}


def told() -> ModuleType:
    """The problems of rule files, whose many classes are made only when there is something to tell."""
    from tl2hip.source.problems import rules

    return rules


@dataclass(frozen=True, slots=True)
class Hole:
    """One parameter of a rule: its kind, and for an Op the operations it may be."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A left side, read.

    root: what the rule gives, as a term of `view`
    ops: the operation that stands in for each Op, and the name of that Op
    loops: the unique axis name of each loop, and the Extent it runs over
    size: nodes of the term and of the reductions in it
    """

    holes: tuple[Hole, ...]
    view: View
    root: ir.Expr
    ops: Mapping[str, str]
    loops: tuple[tuple[str, str], ...]
    size: int

    @property
    def axes(self) -> tuple[str, ...]:
        """The Axis holes, in order."""
        return tuple(h.name for h in self.holes if h.kind == "Axis")

    def kind(self, name: str) -> str:
        return self.hole(name).kind

    def hole(self, name: str) -> Hole:
        return next(h for h in self.holes if h.name == name)


@dataclass(frozen=True, slots=True)
class Sides:
    """A rule as read: the pattern of its left side, the role of each Axis and Extent on its right side, and
    the measures (loops, holes used bare, operations) that must fall from left to right."""

    holes: tuple[Hole, ...]
    pattern: Pattern
    roles: tuple[tuple[str, str], ...]
    measures: tuple[tuple[int, int, int], tuple[int, int, int]]


def sides(left: nodes.Function, right: nodes.Function, module: nodes.Module) -> Sides:
    """Both sides of a rule. Raises Refused, at its place, where one cannot be read."""
    holes = holes_of(left, module)
    if holes_of(right, module) != holes:
        raise Refused(told().OtherHoles(left.name, at=right.at))
    ops = [h.name for h in holes if h.kind == "Op"]
    if len(ops) > len(STAND_INS):
        raise Refused(told().NotUnderstood(f"it has more than {len(STAND_INS)} Op holes", at=left.at))
    pattern = read_left(left, module, holes, dict(zip(ops, STAND_INS, strict=False)))
    names = {h.name: h.kind for h in holes}
    measures = _measure(left, names), _measure(right, names)
    if measures[1] >= measures[0]:
        raise Refused(told().NoProgress(left.name, at=right.at))
    return Sides(holes, pattern, _roles(right, module), measures)


# --- holes -----------------------------------------------------------------------------------------------


def holes_of(side: nodes.Function, module: nodes.Module) -> tuple[Hole, ...]:
    """The holes that a side of a rule says. Raises Refused."""
    return tuple(_hole(p, module) for p in side.parameters)


def _hole(p: nodes.Parameter, module: nodes.Module) -> Hole:
    annotation = _meant(p.annotation, module)
    choices: tuple[str, ...] = ()
    if isinstance(annotation, nodes.Subscript):
        choices = tuple(e.value for e in annotation.index if isinstance(e, nodes.Text))
        annotation = annotation.value
    kind = "" if annotation is None else (origin(annotation, module) or "").removeprefix("tl2hip.rule.")
    kind = "Op" if kind == "typing.Literal" else kind
    known = bool(choices) and set(choices) <= set(OPERATIONS) if kind == "Op" else not choices
    if kind not in KINDS or not known:
        raise Refused(told().NoHole(p.name, at=p.at))
    return Hole(p.name, kind, choices)


def _meant(annotation: nodes.Expr | None, module: nodes.Module) -> nodes.Expr | None:
    """An annotation, or what the file-level name that it is stands for."""
    if isinstance(annotation, nodes.Name) and origin(annotation, module) == f".{annotation.id}":
        for a in module.assignments:
            if isinstance(a, nodes.Assign) and a.targets == (annotation,):
                return a.value
    return annotation


# --- the left side as a kernel ---------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """What is found while a left side is rewritten as a kernel."""

    module: nodes.Module
    holes: dict[str, Hole]
    ops: dict[str, str]
    extents: dict[str, str]
    """The size of each axis, by its loop variable."""
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rounding: bool = True


def read_left(left: nodes.Function, module: nodes.Module, holes: tuple[Hole, ...], ops: dict[str, str]) -> Pattern:
    """A left side as a pattern, with an operation for each Op hole."""
    return _seen(nest_of_side(left, module, holes, ops), holes, ops, left.at)


def nest_of_side(
    left: nodes.Function,
    module: nodes.Module,
    holes: tuple[Hole, ...],
    ops: dict[str, str],
    rounding: bool = True,
) -> ir.Nest:
    """A side of a rule as a nest that stores what it returns to arrays of their own: `_value`, `_value_1`, …

    A Rounding hole is read as a function that stands in for it, or without `rounding` as none.
    """
    axes = [h.name for h in holes if h.kind == "Axis"]
    extents = {a: f"_{a}_extent" for a in axes}
    reading = _Reading(module, {h.name: h for h in holes}, ops, extents, rounding=rounding)
    kernel = _kernel(left, axes, reading)
    dims = sorted({*reading.extents.values(), *(h.name for h in holes if h.kind == "Extent"), "_one"})
    named = nodes.Assign(
        (nodes.Tuple_(tuple(map(nodes.Name, dims))),),
        nodes.Call(nodes.Name("_dims"), (nodes.Text(" ".join(dims)),)),
    )
    functions = (kernel, *(f for f in module.functions if f.name != left.name))
    own = replace(
        module,
        functions=functions,
        assignments=(*module.assignments, named),
        kernels=(left.name,),
        origins={**module.origins, **_ORIGINS},
    )
    report = Report(module.source)
    nest = build(kernel, own, report)
    if nest is None:
        raise Refused(report.errors[0])
    return prove(nest if axes else replace(nest, body=map_stmts(_there, nest.body)))


def _there(s: ir.Stmt) -> ir.Stmt:
    """A store of the one value of a side without an Axis, whose element is there."""
    return replace(s, proven=True, always=True) if isinstance(s, ir.Store) else s


def _kernel(left: nodes.Function, axes: list[str], reading: _Reading) -> nodes.Function:
    """The left side with its value stored to an element of its own, inside a loop for each Axis."""
    *body, last = left.body or (nodes.Pass(at=left.at),)
    if not isinstance(last, nodes.Return) or last.value is None:
        raise Refused(told().NoValue(left.name, at=last.at))
    index: tuple[nodes.Expr, ...] = tuple(map(nodes.Name, axes)) or (nodes.Number(0),)
    values = last.value.items if isinstance(last.value, nodes.Tuple_) else (last.value,)
    names = tuple(f"{OUT}_{n}" if n else OUT for n in range(len(values)))
    inner = tuple(_statement(s, reading) for s in body)
    stmts: tuple[nodes.Stmt, ...] = (
        *inner,
        *(
            nodes.Assign((nodes.Subscript(nodes.Name(n), index, at=last.at),), _rewritten(v, reading), at=last.at)
            for n, v in zip(names, values, strict=True)
        ),
    )
    for axis in reversed(axes):
        stmts = (nodes.For(nodes.Name(axis), _range(reading.extents[axis]), stmts, at=left.at),)
    parameters = [p for h in reading.holes.values() if (p := _parameter(h, reading, left)) is not None]
    sizes = tuple(reading.extents[a] for a in axes) or ("_one",)
    parameters += [nodes.Parameter(name, _tensor(sizes), None) for name in names]
    return nodes.Function(left.name, tuple(parameters), stmts, (), nodes.Nothing(), left.doc, at=left.at)


def _range(extent: str) -> nodes.Expr:
    return nodes.Call(nodes.Name("range"), (nodes.Name(extent),))


def _tensor(sizes: tuple[str, ...]) -> nodes.Expr:
    return nodes.Subscript(nodes.Name("_Tensor"), (nodes.Name("_f64"), *map(nodes.Name, sizes)))


def _parameter(h: Hole, reading: _Reading, left: nodes.Function) -> nodes.Parameter | None:
    if h.kind == "Fn":
        if h.name not in reading.shapes:
            raise Refused(told().UnusedHole(h.name, at=left.at))
        return nodes.Parameter(h.name, _tensor(reading.shapes[h.name]), None, at=left.at)
    if h.kind in ("Value", "Const"):
        return nodes.Parameter(h.name, nodes.Name("_f64"), None, at=left.at)
    return None


def _statement(s: nodes.Stmt, reading: _Reading) -> nodes.Stmt:
    """A statement with the holes in it rewritten; loops run over an Extent."""
    if not isinstance(s, nodes.For):
        return _rewritten(s, reading)
    match s:
        case nodes.For(
            target=nodes.Name(id=name),
            iterable=nodes.Call(func=nodes.Name(id="range"), args=(nodes.Name(id=size),)),
        ) if size in reading.holes and reading.holes[size].kind == "Extent":
            reading.extents[name] = size
            return replace(s, body=tuple(_statement(x, reading) for x in s.body))
    raise Refused(told().LoopOfRule(at=s.at))


def _rewritten(node: N, reading: _Reading) -> N:
    """A node with `f(i, k)` as an element of f and `combine(op, a, b)` as its operation."""
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name):
        name = node.func.id
        if name in reading.holes and reading.holes[name].kind == "Fn":
            return _element(node, name, reading)  # type: ignore[return-value]
        if name in reading.holes and reading.holes[name].kind == "Rounding":
            args = tuple(_rewritten(x, reading) for x in node.args)
            if len(args) == 1 and not reading.rounding:
                return args[0]  # type: ignore[return-value]
            return nodes.Call(nodes.Name(f"_{ROUNDING}"), args, at=node.at)  # type: ignore[return-value]
        known = origin(node.func, reading.module) == "tl2hip.rule.combine"
        if known and len(node.args) == 3 and isinstance(node.args[0], nodes.Name):
            op = reading.ops.get(node.args[0].id)
            if op is None:
                raise Refused(told().NoHole(node.args[0].id, at=node.at))
            a, b = (_rewritten(x, reading) for x in node.args[1:])
            return _combined(op, a, b, node.at)  # type: ignore[return-value]
    return map_parts(lambda part: _rewritten(part, reading), node)


def _element(call: nodes.Call, name: str, reading: _Reading) -> nodes.Expr:
    args = [a.id for a in call.args if isinstance(a, nodes.Name) and a.id in reading.extents]
    if len(args) != len(call.args) or call.keywords or len(set(args)) != len(args) or not args:
        raise Refused(told().NoAxis(name, at=call.at))
    shape = tuple(reading.extents[a] for a in args)
    if reading.shapes.setdefault(name, shape) != shape:
        raise Refused(told().OtherAxes(name, at=call.at))
    return nodes.Subscript(nodes.Name(name, at=call.at), call.args, at=call.at)


def _combined(op: str, a: nodes.Expr, b: nodes.Expr, at: Span) -> nodes.Expr:
    if op in ("+", "*"):
        return nodes.Binary(op, a, b, at=at)
    func = nodes.Name(op if op in ("min", "max") else f"_{op}")
    return nodes.Call(func, (a, b), at=at)


# --- the kernel as a term --------------------------------------------------------------------------------


def _seen(nest: ir.Nest, holes: tuple[Hole, ...], ops: dict[str, str], at: Span) -> Pattern:
    seen = view(nest)
    root = next(s.value for s in reversed(seen.sites) if s.target == OUT)
    loops = {}
    for s in seen.sites:
        if s.fault:
            raise Refused(told().NotUnderstood(s.fault, at=at))
        for a in s.loops:
            stop = a.bounds[1] if len(a.bounds) > 1 else None
            if isinstance(stop, ir.Dim) and not stop.name.startswith("_"):
                loops[a.axis] = stop.name
    for p in all_parts(root):
        if isinstance(p, ir.Var) and seen.site_of(p.name) is None:
            raise Refused(told().NotUnderstood(f"{seen.versions[p.name].name} carries more than a sum", at=at))
    size = sum(1 for e in terms(seen, root) for _ in all_parts(e))
    return Pattern(holes, seen, root, {op: name for name, op in ops.items()}, tuple(loops.items()), size)


def terms(seen: View, root: ir.Expr) -> Iterator[ir.Expr]:
    """A term, and the start and terms of every reduction in it."""
    yield root
    for site in reductions(seen, root):
        yield site.value
        if site.init is not None:
            yield site.init


def reductions(seen: View, root: ir.Expr) -> Iterator[Site]:
    """The reductions that a term reads, and those that these read."""
    for made in seen.made_by(root):
        assert made.site is not None
        site = seen.sites[made.site]
        yield site
        yield from reductions(seen, site.value)


# --- the right side --------------------------------------------------------------------------------------


def _roles(right: nodes.Function, module: nodes.Module) -> tuple[tuple[str, str], ...]:
    """The role of each hole that stands as a keyword of a marking word."""
    return tuple(
        (k.value.id, k.name)
        for s in right.body
        for n in walk(s)
        if isinstance(n, nodes.Call) and origin(n.func, module) in _MARKERS
        for k in n.keywords
        if isinstance(k.value, nodes.Name)
    )


def _measure(f: nodes.Function, kinds: dict[str, str]) -> tuple[int, int, int]:
    """Loops, uses of Fn holes outside marking words, and operations."""
    loops = uses = operations = 0
    for s in f.body:
        for n in walk(s):
            if isinstance(n, nodes.For | nodes.While | nodes.Generator):
                loops += 1
            elif isinstance(n, nodes.Call) and isinstance(n.func, nodes.Name) and kinds.get(n.func.id) == "Fn":
                uses += 1
            elif isinstance(n, nodes.Call | nodes.Binary | nodes.AugAssign):
                operations += 1
    return loops, uses, operations
