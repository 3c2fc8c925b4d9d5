"""A kernel's parameters: tensors, scalars, compile-time constants."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import BOOL, F64, I64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Bound, Context, Told, Unreadable
from tl2hip.nest.build.expand import whole_view
from tl2hip.nest.build.linear import never_negative
from tl2hip.nest.build.marks import constant, own_word
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.operands import shape_of
from tl2hip.nest.build.values import ScalarValue
from tl2hip.nest.walk import all_parts
from tl2hip.source import nodes
from tl2hip.source.problems import marks as mark_problems
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.walk import all_stmts

_WEAK = {"builtins.int": I64, "builtins.float": F64, "builtins.bool": BOOL}


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters in order, and the scalars among them."""

    order: tuple[str, ...]
    scalars: tuple[ir.Scalar, ...]


def parameters(ctx: Context) -> Signature:
    """Binds every parameter; what cannot be understood is told and the rest still read."""
    function = ctx.function
    _check_settings(ctx)
    ctx.state.given.update(p.name for p in function.parameters)
    marked = _names_in_marks(function.body)
    order: list[str] = []
    scalars: list[ir.Scalar] = []
    # scalars first: extents may speak of them whatever the order
    for p in sorted(function.parameters, key=lambda p: _is_tensor(ctx, p)):
        try:
            found = _parameter(ctx, p, p.name in marked)
        except Refused as refused:
            ctx.tell(refused.problem)
            ctx.state.names[p.name] = Unreadable(None)
            continue
        except Told:
            ctx.state.names[p.name] = Unreadable(None)
            continue
        if isinstance(found, ir.Scalar):
            scalars.append(found)
        if found is not None:
            order.append(p.name)
    places = {p.name: k for k, p in enumerate(function.parameters)}
    ctx.state.arrays = dict(sorted(ctx.state.arrays.items(), key=lambda item: places.get(item[0], len(places))))
    _order_dims(ctx)
    return Signature(
        tuple(sorted(order, key=lambda name: places[name])),
        tuple(sorted(scalars, key=lambda s: places[s.name])),
    )


def _order_dims(ctx: Context) -> None:
    """Dims in the order in which the signature mentions them."""
    found: dict[str, None] = {}
    for a in ctx.state.arrays.values():
        for e in (*a.shape, *(a.strides or ())):
            found.update(dict.fromkeys(p.name for p in all_parts(e) if isinstance(p, ir.Dim)))
    ctx.state.dims = found


def _check_settings(ctx: Context) -> None:
    keyword_only = [p.name for p in ctx.function.parameters if p.keyword_only]
    auto = [f"{p.name}_{k}" for p in ctx.function.parameters for k in _auto_axes(p)]
    known = (*sorted(ctx.dim_names), *keyword_only, *auto)
    for name, value in tuple(ctx.sets.items()):
        if name not in known:
            told = ", ".join(known) or "none"
            ctx.tell(problems.UnknownSetting(ctx.function.name, name, told, at=ctx.function.at))
            continue
        low, reason = (0, "an extent is 0 or more") if name not in keyword_only else (-(2**63), "")
        if not low <= value < 2**63:
            reason = reason if value < low and reason else "whole numbers have 64 bits"
            ctx.tell(problems.BadSetting(name, value, reason, at=ctx.function.at))
            ctx.sets = {n: v for n, v in ctx.sets.items() if n != name}


def _auto_axes(p: nodes.Parameter) -> tuple[int, ...]:
    if not isinstance(p.annotation, nodes.Subscript):
        return ()
    return tuple(k - 1 for k, e in enumerate(p.annotation.index) if isinstance(e, nodes.Slice))


def _is_tensor(ctx: Context, p: nodes.Parameter) -> bool:
    return isinstance(p.annotation, nodes.Subscript)


def _names_in_marks(body: tuple[nodes.Stmt, ...]) -> frozenset[str]:
    """Names that stand in a Tile or in tiled(…): these must be known when the kernel is printed."""
    found: set[str] = set()
    for s in all_stmts(body):
        match s:
            case nodes.AnnAssign(annotation=annotation):
                found |= names_in(annotation)
            case nodes.For(iterable=nodes.Call() as call) if _is_tiled(call):
                found.update(*map(names_in, call.args[1:]))
            case _:
                continue
    return frozenset(found)


def _is_tiled(call: nodes.Call) -> bool:
    func = call.func
    name = func.name if isinstance(func, nodes.Attribute) else func.id if isinstance(func, nodes.Name) else ""
    return name == "tiled"


def names_in(e: nodes.Expr) -> set[str]:
    """Every name in an annotation."""
    match e:
        case nodes.Name(id=name):
            return {name}
        case nodes.Subscript(value=value, index=index):
            return names_in(value).union(*map(names_in, index))
        case nodes.Call(args=args):
            return set().union(*map(names_in, args))
        case nodes.Binary(left=left, right=right):
            return names_in(left) | names_in(right)
        case nodes.Unary(value=value):
            return names_in(value)
        case _:
            return set()


def _parameter(ctx: Context, p: nodes.Parameter, in_mark: bool) -> ir.Scalar | ir.Array | None:
    """Binds one parameter; None for a compile-time constant, which is no argument of the kernel."""
    if p.keyword_only and (p.name in ctx.sets or in_mark):
        ctx.state.names[p.name] = Bound(_constant_of(ctx, p), p.at)
        return None
    if p.annotation is None:
        raise Refused(problems.NoHint(p.name, at=p.at))
    if isinstance(p.annotation, nodes.Subscript) and means(ctx, p.annotation.value) == "tl2hip.Tensor":
        array = _tensor(ctx, p, p.annotation)
        ctx.state.arrays[p.name] = array
        ctx.state.names[p.name] = Bound(whole_view(array), p.at)
        return array
    scalar, weak = _scalar(ctx, p, p.annotation)
    ctx.state.names[p.name] = Bound(ScalarValue(scalar, weak), p.at)
    return scalar


def _constant_of(ctx: Context, p: nodes.Parameter) -> ScalarValue:
    if p.name in ctx.sets:
        return ScalarValue(fold.number(ctx.sets[p.name]), weak=True)
    if p.default is None:
        raise Refused(problems.ConstantWithoutValue(p.name, at=p.at))
    return ScalarValue(fold.number(constant(ctx, p.default)), weak=True)


def _scalar(ctx: Context, p: nodes.Parameter, annotation: nodes.Expr) -> tuple[ir.Scalar, bool]:
    weak = _WEAK.get(means(ctx, annotation) or "")
    if weak is not None:
        return ir.Scalar(p.name, weak), True
    strong = None if isinstance(annotation, nodes.Text) else dtype_named(ctx, annotation)
    if strong is None:
        raise Refused(problems.HintNotUnderstood(p.name, at=annotation.at))
    return ir.Scalar(p.name, strong), False


# --- tensors ---------------------------------------------------------------------------------------------


def _tensor(ctx: Context, p: nodes.Parameter, annotation: nodes.Subscript) -> ir.Array:
    """`Tensor[dtype, extents…, options]`."""
    if not annotation.index:  # `Tensor[()]`
        raise Refused(problems.HintNotUnderstood(p.name, at=annotation.at))
    kind, *rest = annotation.index
    dtype = dtype_named(ctx, kind)
    if dtype is None:
        raise Refused(problems.UnknownDType(at=kind.at))
    options = [e for e in rest if _option(ctx, e)]
    extents = rest[: len(rest) - len(options)]
    if any(_option(ctx, e) for e in extents):
        raise Refused(mark_problems.BadOption("extents come before options", at=annotation.at))
    if not extents:
        way = f"write {p.name}: {dtype}"
        raise Refused(problems.NotSupported("a Tensor without extents", way, at=annotation.at))
    shape = tuple(_extent(ctx, p.name, k, e) for k, e in enumerate(extents))
    strides, marks = _options(ctx, options, len(shape))
    return ir.Array(p.name, dtype, shape, "parameter", strides, marks, at=p.at)


def _extent(ctx: Context, name: str, axis: int, e: nodes.Expr) -> ir.Expr:
    if isinstance(e, nodes.Slice):
        if (e.start, e.stop, e.step) != (None, None, None):
            raise Refused(problems.BadExtent(at=e.at))
        return auto_dim(ctx, f"{name}_{axis}")
    if isinstance(e, nodes.Ellipsis_ | nodes.Text | nodes.Nothing):
        raise Refused(problems.BadExtent(at=e.at))
    extent = _size(ctx, e)
    value = fold.value_of(extent)
    if value is not None and value < 0:
        raise Refused(problems.BadExtent(at=e.at))
    return extent


_OF_SIZES = frozenset({"+", "-", "*", "//", "%"})
"""What the notation computes with dims."""


def _size(ctx: Context, e: nodes.Expr) -> ir.Expr:
    """An extent or stride: a constant, a name, or sums, products and quotients of these. Raises Refused for all
    else, which Python could not work out from the shapes of a call."""
    with ctx.block() as made:
        found = shape_of(ctx, e)
    varies = any(isinstance(p, ir.Dim | ir.Var) for one in found for p in all_parts(one))
    if made or len(found) != 1 or (varies and not _of_sizes(e)):
        raise Refused(problems.BadExtent(at=e.at))
    return found[0]


def _of_sizes(e: nodes.Expr) -> bool:
    match e:
        case nodes.Name() | nodes.Attribute() | nodes.Number():
            return True
        case nodes.Unary("-", value):
            return _of_sizes(value)
        case nodes.Binary(op, left, right):
            return op in _OF_SIZES and _of_sizes(left) and _of_sizes(right)
        case _:
            return False


def auto_dim(ctx: Context, name: str) -> ir.Expr:
    """The extent of an axis written `:`: a dim of its own, named after array and axis."""
    if name in ctx.sets:
        return ir.Const(ctx.sets[name], I64)
    ctx.state.given.add(name)
    return ir.Dim(name)


def _option(ctx: Context, e: nodes.Expr) -> bool:
    return isinstance(e, nodes.Call) and means(ctx, e.func) in (
        "tl2hip.strides",
        "tl2hip.lds",
        "tl2hip.vec",
    )


def _options(
    ctx: Context, options: list[nodes.Expr], rank: int
) -> tuple[tuple[ir.Expr, ...] | None, tuple[ir.Mark, ...]]:
    strides: tuple[ir.Expr, ...] | None = None
    marks: list[ir.Mark] = []
    for e in options:
        assert isinstance(e, nodes.Call)
        name = (means(ctx, e.func) or "").removeprefix("tl2hip.")
        if any(m.name == name for m in marks) or (name == "strides" and strides is not None):
            raise Refused(mark_problems.BadOption(f"{name} stands twice", at=e.at))
        if name == "strides":
            strides = _strides(ctx, e, rank)
        else:
            marks.append(_kept(ctx, name, e))
    return strides, tuple(marks)


def _strides(ctx: Context, e: nodes.Call, rank: int) -> tuple[ir.Expr, ...]:
    if len(e.args) != rank or e.keywords:
        raise Refused(
            mark_problems.BadOption(f"strides takes one number of elements for each of the {rank} axes", at=e.at)
        )
    found = tuple(_size(ctx, a) for a in e.args)
    for stride, a in zip(found, e.args, strict=True):
        if not never_negative(stride, {}):
            raise Refused(mark_problems.BadOption("a stride must be 0 or more for every size", at=a.at))
    return found


def _kept(ctx: Context, name: str, e: nodes.Call) -> ir.Mark:
    """`lds(pad=…)` and `vec(n)`, checked and kept for the plan."""
    if name == "vec":
        if len(e.args) != 1 or e.keywords or constant(ctx, e.args[0]) not in (1, 2, 4, 8, 16):
            raise Refused(mark_problems.BadOption("vec takes 1, 2, 4, 8 or 16", at=e.at))
        return ir.Mark("vec", constant(ctx, e.args[0]), at=e.at, word=own_word(e))
    values = (*e.args, *(k.value for k in e.keywords))
    if len(values) > 1 or any(k.name != "pad" for k in e.keywords):
        raise Refused(mark_problems.BadOption("lds takes nothing, or pad=n elements", at=e.at))
    pad = constant(ctx, values[0]) if values else 0
    if pad < 0:
        raise Refused(mark_problems.BadOption("pad is a number of elements, 0 or more", at=e.at))
    return ir.Mark("lds", pad, at=e.at, word=own_word(e) or _lds(pad))


def _lds(pad: int) -> str:
    """The option as it is written."""
    return f"lds(pad={pad})" if pad else "lds()"
