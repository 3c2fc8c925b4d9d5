"""The host function that checks its arguments and launches the kernels of a plan, and what callers need to know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from tl2hip.dtypes import I64, DType
from tl2hip.hip.context import Context, Known, Used
from tl2hip.hip.expressions import show
from tl2hip.hip.facts import is_natural
from tl2hip.hip.frame import fill
from tl2hip.hip.host import HostWriter, write_host
from tl2hip.hip.kernel import broken, extents
from tl2hip.hip.literals import INT_MAX, int_literal
from tl2hip.hip.names import Names
from tl2hip.hip.statements import quoted
from tl2hip.hip.text import RELATION, Text, infix
from tl2hip.hip.wrap import wrapped_lines
from tl2hip.nest.ir import Array, AxisRef, Compare, Dim, Expr, Logic, Scalar, Unary, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.ir import Aligned, HostIf, HostLoop, HostStmt, HostWhile, Launch, Plan, ReadBack

ArgumentKind = Literal["array", "result", "scalar", "dim", "workspace", "stream"]
PART = 256
"""Parts of the workspace start at multiples of this many bytes."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the launcher: `name` is the plan's (the user's), `c` the printed one.

    Arrays and results are device pointers to `dtype`; scalars have their `dtype`; dims are i64;
    the workspace is `void *` and the stream `hipStream_t`, both without a dtype.
    """

    kind: ArgumentKind
    name: str
    dtype: DType | None
    c: str


@dataclass(frozen=True, slots=True)
class LauncherInfo:
    """How to call a printed launcher: `hipError_t name(arguments…)`, an `extern "C"` function.

    `workspace` names the function that gives the bytes of the workspace, `size_t workspace(workspace_arguments…)`;
    None where there is none, and then there is no workspace argument either. `kernels` are the C names.
    """

    name: str
    arguments: tuple[Argument, ...]
    workspace: str | None
    workspace_arguments: tuple[Argument, ...]
    kernels: tuple[str, ...]


def launcher_info(plan: Plan, names: Names) -> LauncherInfo:
    """The arguments in order: the user's parameters, results, dims, workspace, stream."""
    nest = plan.nest
    scalars = {s.name: s for s in nest.scalars}
    order = [_scalar(scalars[n], names) if n in scalars else _array("array", n, plan, names) for n in nest.order]
    order += [_array("result", n, plan, names) for n in nest.results]
    dims = tuple(Argument("dim", n, I64, names[n]) for n in nest.dims)
    parts = _parts(plan)
    tests = (needed(plan, p.name) for p in parts)
    asked = [n for p in parts for n in p.shape] + [t for t in tests if t is not None]
    sizes = [s for n in asked for s in all_parts(n) if isinstance(s, Scalar)]
    sized = tuple(_scalar(s, names) for s in nest.scalars if s in sizes)
    workspace = (Argument("workspace", "workspace", None, "workspace"),) if parts else ()
    return LauncherInfo(
        name=names[nest.name],
        arguments=(*order, *dims, *workspace, Argument("stream", "stream", None, "stream")),
        workspace=names[f"{nest.name}_workspace"] if parts else None,
        workspace_arguments=(*dims, *sized) if parts else (),
        kernels=tuple(names[k.name] for k in plan.kernels),
    )


def _scalar(s: Scalar, names: Names) -> Argument:
    return Argument("scalar", s.name, s.dtype, names[s.name])


def _array(kind: ArgumentKind, name: str, plan: Plan, names: Names) -> Argument:
    return Argument(kind, name, plan.placed(name).array.dtype, names[name])


def _parts(plan: Plan) -> list[Array]:
    return [p.array for p in plan.arrays if p.space == "workspace"]


def print_launcher(plan: Plan, info: LauncherInfo, names: Names, used: Used) -> str:
    """The text of the launcher and of its workspace function, without a final newline."""
    natural = extents(plan)
    known = Known(natural=natural, index={s.name for s in plan.nest.scalars} & natural)
    ctx = Context(names, used, {p.array.name: p.array for p in plan.arrays}, known, host=True)
    w = HostWriter(ctx, plan, names)
    _check(plan, w)
    _refuse_folded(plan, w)
    _refuse_overlap(plan, info, w)
    _place_workspace(plan, info, w)
    write_host(plan.host, w)
    return fill(
        "launcher",
        workspace=_workspace(plan, info, ctx),
        name=info.name,
        parameters=broken(f'extern "C" hipError_t {info.name}(', _parameters(plan, info)),
        lines=w.lines,
    )


def _parameters(plan: Plan, info: LauncherInfo) -> list[str]:
    stored = plan.stored
    return [_parameter(a, stored) for a in info.arguments]


def _parameter(a: Argument, stored: frozenset[str]) -> str:
    if a.kind == "stream":
        return f"hipStream_t {a.c}"
    if a.dtype is None:
        return f"void *{a.c}"
    if a.kind in ("array", "result"):
        return f"{'' if a.name in stored else 'const '}{a.dtype.c} *{a.c}"
    return f"{a.dtype.c} {a.c}"


# --- checks ----------------------------------------------------------------------------------------------


def _check(plan: Plan, w: HostWriter) -> None:
    """Sizes that are not negative (no scalar is known to be an extent yet), then the user's asserts."""
    sizes: dict[Expr, None] = dict.fromkeys(Dim(n) for n in plan.nest.dims)
    shapes = [n for p in plan.arrays if p.space in ("global", "workspace") for n in p.array.shape]
    unsure = Context(w.ctx.names, w.ctx.used, w.ctx.arrays, host=True)
    sizes |= dict.fromkeys(n for n in shapes if not is_natural(n, unsure.known))
    tests = [infix("<", show(n, unsure), Text("0")) for n in sizes]
    if tests:
        w.refuse([t.text for t in tests])
    for check in plan.nest.checks:
        if check.at.line:
            w.line(quoted(plan.nest.source, check.at.line))
        w.refuse([f"!{show(check.test, w.ctx).inside(RELATION + 5)}"])


def _refuse_folded(plan: Plan, w: HostWriter) -> None:
    """Refuses strides by which elements of a written array share memory."""
    stored = plan.stored
    for a in (p.array for p in plan.arrays):
        if a.strides is not None and a.name in stored:
            extents, strides = (", ".join(show(e, w.ctx).text for e in some) for some in (a.shape, a.strides))
            w.refuse([f"folded<{len(a.shape)}>({{{extents}}}, {{{strides}}})"])


def _refuse_overlap(plan: Plan, info: LauncherInfo, w: HostWriter) -> None:
    """Refuses memory that a written array shares with any other."""
    pointers = [a.name for a in info.arguments if a.kind in ("array", "result")]
    stored = plan.stored
    pairs = [(a, b) for k, a in enumerate(pointers) for b in pointers[k + 1 :] if a in stored or b in stored]
    if not pairs:
        return
    sizes = {}
    for name in dict.fromkeys(n for pair in pairs for n in pair):
        sizes[name] = w.names.fresh(f"{w.names[name]}_bytes")
        w.line(f"const i64 {sizes[name]} = {_bytes(plan.placed(name).array, w.ctx)};")
    tests = [_overlap(a, b, sizes, plan, w.names) for a, b in pairs]
    w.refuse(tests if len(tests) == 1 else [f"({t})" if " && " in t else t for t in tests])


def _overlap(a: str, b: str, sizes: dict[str, str], plan: Plan, names: Names) -> str:
    test = f"overlap({names[a]}, {sizes[a]}, {names[b]}, {sizes[b]})"
    if (a, b) in plan.in_place or (b, a) in plan.in_place:
        return f"(const void *){names[a]} != {names[b]} && {test}"
    return test


def _bytes(a: Array, ctx: Context) -> str:
    """The bytes from the first to the last element of an array; 0 where it is empty."""
    size = Text(str(a.dtype.bytes))
    shape = [show(n, ctx) for n in a.shape]
    if a.strides is None:
        return _product([*shape, size]).text
    terms = [_product([infix("-", n, Text("1")), show(s, ctx)]) for n, s in zip(shape, a.strides, strict=True)]
    total = Text("1")
    for t in terms:
        total = infix("+", total, t)
    full = _product([total, size]).text
    tests = " || ".join(f"{n.inside(RELATION + 1)} == 0" for n in shape)
    return f"{tests} ? 0 : {full}" if tests else full


def _product(factors: list[Text]) -> Text:
    """The factors multiplied; numbers alone, which C++ multiplies in 32 bits, in 64 where they need them."""
    kept = [f for f in factors if f.text != "1"] or [Text("1")]
    numbers = [int(f.text) for f in takewhile(lambda f: f.text.isdecimal(), kept)]
    if len(numbers) > 1 and math.prod(numbers) > INT_MAX:
        kept[0] = Text(int_literal(numbers[0], I64, wide=True))
    total = kept[0]
    for f in kept[1:]:
        total = infix("*", total, f)
    return total


# --- workspace -------------------------------------------------------------------------------------------


def _padded(a: Array, plan: Plan, ctx: Context) -> str:
    """The bytes of a part, none where no launch for these sizes takes it."""
    size = f"({_bytes(a, ctx)} + {PART - 1}) / {PART} * {PART}"
    wanted = needed(plan, a.name)
    if wanted is None:
        return size
    choice = f"{show(wanted, ctx).argument} ? {size} : 0"
    return choice if len(_parts(plan)) == 1 else f"({choice})"


def needed(plan: Plan, array: str) -> Expr | None:
    """What must hold of sizes and scalars for any launch to take an array of the workspace; None where that is no
    single test."""
    ways = set(_ways(plan.host, {k.name for k in plan.kernels if array in k.arrays}, None))
    return ways.pop() if len(ways) == 1 else None


def _ways(body: tuple[HostStmt, ...], users: set[str], so_far: Expr | None) -> Iterator[Expr | None]:
    """What must hold for each launch of some kernels, as far as it is about sizes and scalars alone."""
    for s in body:
        match s:
            case Launch(kernel=kernel):
                if kernel in users:
                    yield so_far
            case ReadBack():
                yield None
            case HostIf(test=test, then=then, orelse=orelse):
                yes = no = so_far
                if not isinstance(test, Aligned) and not any(isinstance(e, Var | AxisRef) for e in all_parts(test)):
                    yes, no = _and(so_far, test), _and(so_far, _not(test))
                yield from (*_ways(then, users, yes), *_ways(orelse, users, no))
            case HostLoop(body=inner) | HostWhile(body=inner):
                yield from _ways(inner, users, so_far)
            case _:
                continue


def _and(a: Expr | None, b: Expr) -> Expr:
    return b if a is None else Logic("and", a, b)


def _not(test: Expr) -> Expr:
    if isinstance(test, Compare) and test.op in ("==", "!="):
        return Compare("!=" if test.op == "==" else "==", test.left, test.right)
    return Unary("not", test)


def _workspace(plan: Plan, info: LauncherInfo, ctx: Context) -> dict[str, object] | None:
    if info.workspace is None:
        return None
    sums = " + ".join(f"{_padded(a, plan, ctx)}" for a in _parts(plan))
    return {
        "name": info.workspace,
        "parameters": ", ".join(_parameter(a, frozenset()) for a in info.workspace_arguments),
        "lines": wrapped_lines(f"    return {sums};"),
    }


def _place_workspace(plan: Plan, info: LauncherInfo, w: HostWriter) -> None:
    """Pointers to the parts of the workspace, one behind the other; without memory for them nothing runs."""
    parts = _parts(plan)
    if info.workspace is None:
        return
    sizes = ", ".join(a.c for a in info.workspace_arguments)
    w.refuse([f"workspace == nullptr && {info.workspace}({sizes}) > 0"])
    place = "workspace"
    for k, a in enumerate(parts):
        c = f"{a.dtype.c} *"
        w.line(f"{c}{w.names[a.name]} = ({c}){f'({place})' if k else place};")
        place = f"(char *){w.names[a.name]} + {_padded(a, plan, w.ctx)}" if k + 1 < len(parts) else ""
