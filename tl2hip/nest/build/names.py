"""What names mean outside the function: dims, numbers at file level, dtypes, functions of libraries."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tl2hip.dtypes import ALIASES, F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.values import ScalarValue, View
from tl2hip.source import nodes
from tl2hip.source.names import dims_bound, origin
from tl2hip.source.problems import marks as mark_problems
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.walk import target_names

NUMBERS: dict[str, float] = {
    f"{module}.{name}": value
    for module in ("math", "numpy")
    for name, value in {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}.items()
    if (module, name) != ("numpy", "tau")
}
"""Constants of libraries, all of them Python floats."""


def means(ctx: Context, e: nodes.Expr) -> str | None:
    """The dotted origin of a name or attribute chain, such as `numpy.exp`; None for a local."""
    return origin(e, ctx.module, ctx.local)


def library_number(ctx: Context, e: nodes.Expr) -> ScalarValue | None:
    """`math.pi` and its kin."""
    found = NUMBERS.get(means(ctx, e) or "")
    return None if found is None else ScalarValue(ir.Const(found, F64), weak=True)


def file_value(ctx: Context, e: nodes.Name) -> Result:
    """The value of a name that the function does not bind: a dim, a number at file level, `pi`."""
    known = library_number(ctx, e)
    if known is not None:
        return known
    if e.id in ctx.dim_names:
        if ctx.typed and e.id not in ctx.sets and e.id not in ctx.state.dims:
            raise Refused(problems.DimWithoutExtent(e.id, ctx.function.name, at=e.at))
        return ScalarValue(dim(ctx, e.id), weak=True)
    if e.id not in ctx.constants:
        raise Refused(problems.UndefinedName(e.id, at=e.at))
    value = ctx.constants[e.id]
    if value is None or e.id in ctx.module.unsettled or e.id in ctx.inlining:
        raise Refused(problems.NotANumber(e.id, at=e.at))
    return _constant(ctx, e, value)


def _constant(ctx: Context, e: nodes.Name, value: nodes.Expr) -> Result:
    outer, hidden, names = ctx.inlining, ctx.local, ctx.state.names
    ctx.inlining, ctx.local, ctx.state.names = (*outer, e.id), frozenset(), {}
    try:
        found = ctx.evaluate(ctx, value)
    except Refused as refused:
        raise Refused(problems.NotANumber(e.id, at=e.at)) from refused
    finally:
        ctx.inlining, ctx.local, ctx.state.names = outer, hidden, names
    if not _settled(found):
        raise Refused(problems.NotANumber(e.id, at=e.at))
    return found


def _settled(found: Result) -> bool:
    if isinstance(found, tuple):
        return all(map(_settled, found))
    return isinstance(found, ScalarValue) and isinstance(found.expr, ir.Const)


def dim(ctx: Context, name: str) -> ir.Expr:
    """A dim as a value: a constant where it was set, else a size known at run time."""
    if name in ctx.sets:
        return ir.Const(ctx.sets[name], I64)
    ctx.state.dims.setdefault(name, None)
    return ir.Dim(name)


def dims_of(module: nodes.Module, report: Report) -> frozenset[str]:
    """The names that `dims("M N")` binds at file level."""
    found: set[str] = set()
    for target, call in dims_bound(module):
        names, ids = _dim_names(call), tuple(target_names(target))
        if names is None:
            report.add(mark_problems.BadDims("dims takes one string of names", at=call.at))
        elif ids != names:
            reason = f'dims("{" ".join(names)}") is bound to {", ".join(ids)}'
            report.add(mark_problems.BadDims(reason, at=target.at.to(call.at)))
        found.update(ids)
    for target in _other_targets(module):
        again = sorted({*target_names(target)} & found)
        if again:
            reason = f"`{again[0]}` is bound to something else too, which Python's kernels take it for"
            report.add(mark_problems.BadDims(reason, "give one of the two another name", at=target.at))
    return frozenset(found)


def _other_targets(module: nodes.Module) -> Iterator[nodes.Expr]:
    """What file-level assignments bind, other than by `dims`."""
    own = {target.at for target, _ in dims_bound(module)}
    for a in module.assignments:
        targets = a.targets if isinstance(a, nodes.Assign) else (a.target,)
        if a.value is not None:
            yield from (target for target in targets if target.at not in own)


def _dim_names(call: nodes.Call) -> tuple[str, ...] | None:
    match call.args:
        case (nodes.Text(value=text),) if not call.keywords and text.split():
            return tuple(text.replace(",", " ").split())
        case _:
            return None


_PYTHON = {"builtins.float": "f64", "builtins.int": "i64", "builtins.bool": "bool"}


def dtype_named(ctx: Context, e: nodes.Expr) -> DType | None:
    """The dtype that `f32`, `np.float32`, `"float32"`, `A.dtype` or `float` names; None for anything else."""
    if isinstance(e, nodes.Text):
        return ALIASES.get(e.value)
    if isinstance(e, nodes.Attribute) and e.name == "dtype" and isinstance(e.value, nodes.Name):
        binding = ctx.state.names.get(e.value.id)
        held = getattr(binding, "value", None)
        return held.dtype if isinstance(held, View) else None
    name = means(ctx, e)
    if name is None:
        return None
    module, _, last = name.rpartition(".")
    if module not in ("tl2hip", "numpy", "ml_dtypes", "builtins"):
        return None
    if module == "builtins":
        return ALIASES.get(_PYTHON.get(name, ""))
    if module != "tl2hip" and last in ("f64", "f32", "int", "float"):
        return None
    return ALIASES.get(last)


def dtype_of(ctx: Context, e: nodes.Expr) -> DType:
    """The dtype an argument names; refused where it names none."""
    found = dtype_named(ctx, e)
    if found is None and isinstance(e, nodes.Call) and means(ctx, e.func) == "numpy.dtype" and e.args:
        found = dtype_named(ctx, e.args[0])
    if found is None:
        raise Refused(problems.UnknownDType(at=e.at))
    return found
