"""build: own nodes → a nest. Names, dtypes, shapes and slices are resolved here; everything after is typed.

>>> from tl2hip.nest.show import show
>>> from tl2hip.source.problems.base import Report
>>> from tl2hip.source.read import read
>>> from tl2hip.source.span import Source
>>> source = Source("k.py", '''
... from tl2hip import Tensor, dims, f32, kernel
... (N,) = dims("N")
... @kernel
... def twice(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
...     for i in range(N):
...         y[i] = 2 * x[i]
... ''')
>>> report = Report(source)
>>> module = read(source, report)
>>> nest = build(module.functions[0], module, report)
>>> nest.body[0].body[0].value.dtype.name
'f32'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tl2hip.dtypes import F32, F64, I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build.assign import put
from tl2hip.nest.build.context import Context, Told
from tl2hip.nest.build.dead import live_only, used_variables
from tl2hip.nest.build.expressions import evaluate, test
from tl2hip.nest.build.marks import LARGEST_TILE
from tl2hip.nest.build.names import dims_of, means
from tl2hip.nest.build.results import Results, give_back
from tl2hip.nest.build.returned import check_annotation
from tl2hip.nest.build.returns import always_returns, early_return, returns_nothing, returns_value, with_result
from tl2hip.nest.build.signature import Signature, parameters
from tl2hip.nest.build.statements import body
from tl2hip.nest.walk import all_parts, all_stmts
from tl2hip.source import nodes
from tl2hip.source.names import file_values, local_names
from tl2hip.source.problems import marks as mark_problems
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.walk import walk

__all__ = ["BuildOptions", "build"]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a variant sets: dims and keyword-only parameters, tile sizes, and the dtype of `math` functions."""

    sets: Mapping[str, int] = field(default_factory=dict)
    tiles: Mapping[str, int] = field(default_factory=dict)
    math: DType = F32


def build(
    function: nodes.Function, module: nodes.Module, report: Report, options: BuildOptions | None = None
) -> ir.Nest | None:
    """The nest of one function; None where something was refused. All its problems go into `report`."""
    options = options or BuildOptions()
    errors = len(report.errors)
    dim_names = dims_of(module, report)
    ctx = Context(
        module=module,
        function=function,
        sets=options.sets,
        tiles=options.tiles,
        math=options.math,
        local=local_names(function),
        words=_mentioned(function, module),
        evaluate=evaluate,
        test=test,
        put=put,
        build=body,
        constants=file_values(module),
        dim_names=dim_names,
    )
    _kernel_options(ctx)
    signature = parameters(ctx)
    ctx.typed = True
    results = _body(ctx)
    _check_tiles(ctx)
    _check_folded(ctx)
    if not any(p.severity == "error" for p in ctx.state.problems):
        check_annotation(ctx, results)
    for problem in ctx.state.problems:
        report.add(problem)
    if len(report.errors) > errors:
        return None
    assert not ctx.state.dropped, "a statement was refused and nothing told"
    return _nest(ctx, signature, results)


def _kernel_options(ctx: Context) -> None:
    """`@kernel(math=f64)` computes `math` functions in f64."""
    for d in ctx.function.decorators:
        if not isinstance(d, nodes.Call) or means(ctx, d.func) != "tl2hip.kernel":
            continue
        for a in d.args:
            way = "write @kernel, or @kernel(math=f64)"
            ctx.tell(problems.NotSupported("kernel(…) of something", way, at=a.at))
        for k in d.keywords:
            name = means(ctx, k.value) if k.name == "math" else None
            if name not in ("tl2hip.f32", "tl2hip.f64"):
                ctx.tell(problems.NotSupported(f"kernel({k.name}=…)", "kernel takes math=f32 or math=f64", at=k.at))
            else:
                ctx.math = F64 if name == "tl2hip.f64" else F32


def _body(ctx: Context) -> Results:
    statements = ctx.function.body
    last = statements[-1] if statements else None
    if early := early_return(statements):
        statements, last = _straightened(ctx, statements, early)
    elif isinstance(last, nodes.Return):
        statements = statements[:-1]
    body(ctx, statements)
    if not isinstance(last, nodes.Return):
        return Results()
    ctx.at = last.at
    try:
        return give_back(ctx, last)
    except Refused as refused:
        ctx.tell(refused.problem)
    except Told:
        pass  # its problem is in the report already
    return Results()


def _straightened(
    ctx: Context, statements: tuple[nodes.Stmt, ...], early: nodes.Return
) -> tuple[tuple[nodes.Stmt, ...], nodes.Return | None]:
    """A body with a `return` before its end, without any: what it does, and the one `return` at the end."""
    result, done = ctx.unused("result"), ctx.unused("done")
    if not returns_value(statements):
        return with_result(statements, result, done), None
    nothing = returns_nothing(statements)
    if nothing is not None or not always_returns(statements):
        way = "return on every way through the function, or on none"
        reason = "some ways through the function return a value, and some do not"
        ctx.tell(problems.BadReturn(reason, way, at=(nothing or early).at))
    ctx.results = frozenset({result})
    last = nodes.Return(nodes.Name(result, at=early.at), at=early.at)
    return with_result(statements, result, done), last


def _check_tiles(ctx: Context) -> None:
    """Every annotation and every tile that was set must have met a loop."""
    for name, tiling in ctx.state.tilings.items():
        if name not in ctx.marked:
            ctx.tell(mark_problems.TileWithoutLoop(name, at=tiling.at))
    for name, tile in ctx.tiles.items():
        if not 1 <= tile <= LARGEST_TILE:
            allowed = f"1 to {LARGEST_TILE}"
            ctx.tell(mark_problems.MarkOutOfRange(f"the tile of {name}", tile, allowed, at=ctx.function.at))
        if name not in ctx.looped:
            known = ", ".join(sorted(ctx.looped)) or "nothing"
            ctx.tell(mark_problems.UnknownTile(ctx.function.name, name, known, at=ctx.function.at))


def _check_folded(ctx: Context) -> None:
    """Nothing is stored into an array whose elements surely share memory."""
    for s in all_stmts(ctx.out):
        if isinstance(s, ir.Store | ir.Update) and (array := ctx.state.arrays.get(s.array)) is not None:
            axes = zip(array.shape, array.strides or (), strict=False)
            if any(stride == ir.Const(0, I64) and extent != ir.Const(1, I64) for extent, stride in axes):
                ctx.tell(problems.FoldedStore(array.name, at=s.at))


def _nest(ctx: Context, signature: Signature, results: Results) -> ir.Nest:
    state = ctx.state
    statements = live_only(tuple(ctx.out), state.arrays)
    extents = (p for a in state.arrays.values() for e in a.shape for p in all_parts(e))
    used = used_variables(statements) | {p.name for p in extents if isinstance(p, ir.Var)}
    return ir.Nest(
        name=ctx.function.name,
        source=ctx.module.source,
        order=signature.order,
        dims=tuple(state.dims),
        scalars=signature.scalars,
        arrays=tuple(state.arrays.values()),
        variables=tuple(
            ir.Variable(name, dtype, state.narrower.get(name))
            for name, dtype in state.variables.items()
            if name in used
        ),
        body=statements,
        checks=tuple(state.checks),
        results=tuple(results.names),
        scalar_results=tuple(results.scalars),
        distinct=tuple(state.promised["distinct"]),
        offsets=tuple(state.promised["offsets"]),
        doc=ctx.function.doc or "",
        at=ctx.function.at,
    )


def _mentioned(function: nodes.Function, module: nodes.Module) -> frozenset[str]:
    """Every name that a function mentions, and the functions of the file that it calls."""
    others = {f.name: f for f in module.functions}
    found: set[str] = set()
    waiting = [function]
    while waiting:
        words = set(_words(waiting.pop()))
        waiting += [others[w] for w in words - found if w in others]
        found |= words
    return frozenset(found)


def _words(function: nodes.Function) -> Iterator[str]:
    """Every name that a function mentions."""
    for one in walk(function):
        if isinstance(one, nodes.Name):
            yield one.id
        elif isinstance(one, nodes.Parameter):
            yield one.name
