"""A plan as text: what `--stop-after plan` prints and `plan.txt` keeps."""

from __future__ import annotations

from collections.abc import Iterable

from tl2hip.nest.ir import Const, Expr, Nest
from tl2hip.nest.show import show_expr
from tl2hip.plan.budget import Budget, budgets
from tl2hip.plan.gfx942 import LDS_BYTES
from tl2hip.plan.ir import (
    Aligned,
    Barrier,
    DeviceKernel,
    HostIf,
    HostLet,
    HostLoop,
    HostStmt,
    HostWhile,
    Launch,
    Leave,
    Note,
    Placed,
    Plan,
    ReadBack,
)
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import LdsBarrier, Meet
from tl2hip.plan.walk import all_stmts


def show(plan: Plan) -> str:
    """The plan, whole: where each loop went, memory, kernels, and what the launcher does."""
    sections = [
        f"plan of {plan.nest.name} for gfx942",
        _table("loops", _notes(plan.notes)),
        _table("memory", [_memory(p, plan.nest) for p in plan.arrays]),
        _table("kernels", [_kernel(k) for k in plan.kernels]),
        _table("budget", [row for b in budgets(plan) if b.says_something for row in _budget(b)]),
        "\n".join(["launcher", *_host(plan.host, "  ", plan.nest)]),
    ]
    if plan.in_place:
        pairs = [(a, "may start where", b, "starts") for a, b in plan.in_place]
        sections.append(_table("in place", pairs))
    return "\n\n".join(s for s in sections if s) + "\n"


def _table(title: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A heading and rows in columns of equal width; nothing for no rows."""
    table = [tuple(r) for r in rows]
    if not table:
        return ""
    widths = [max(len(r[c]) for r in table) for c in range(len(table[0]))]
    lines = ("  " + "  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip() for r in table)
    return "\n".join([title, *lines])


def _notes(notes: Iterable[Note]) -> list[tuple[str, ...]]:
    return [(n.axis, f"line {n.at.line}" if n.at.line else "", n.where, n.why) for n in notes]


def _memory(p: Placed, nest: Nest) -> tuple[str, ...]:
    a = p.array
    shape = ", ".join(show_expr(nest, e) for e in a.shape)
    return (a.name, f"{a.dtype}[{shape}]", p.space, a.role if p.space == "global" else "")


def _kernel(k: DeviceKernel) -> tuple[str, ...]:
    barriers = sum(isinstance(s, Barrier | LdsBarrier | Meet) for s in all_stmts(k.body))
    trees = sum(isinstance(s, Combine) for s in all_stmts(k.body))
    scans = sum(isinstance(s, Prefix) for s in all_stmts(k.body))
    block = " x ".join(str(n) for n in k.block if n > 1) or "1"
    meets = f"{barriers} barriers, {trees} reduction trees" if barriers or trees else "no lane waits for another"
    if scans:
        meets = f"{meets}, {scans} scans over the block"
    return (k.name, f"{block} threads", meets, k.summary)


def _budget(b: Budget) -> list[tuple[str, ...]]:
    """What a kernel takes, an item a line: LDS by array, registers by vector, and the waves that follow."""
    rows = [("LDS", p.name, f"{p.bytes:,} bytes") for p in b.lds]
    if rows:
        rows.append(("LDS", "together", f"{b.lds_bytes:,} of {LDS_BYTES:,} bytes"))
    rows += [("registers", name, str(n)) for name, n in b.vectors]
    if b.vectors:
        rows.append(("registers", "at once, with scalars and addresses", f"about {b.registers} of {b.allowed}"))
    promised = f", {b.promised} promised" if b.promised is not None else ""
    rows.append(("waves", "on each SIMD", f"{b.waves}{promised}"))
    return [("" if n else b.kernel, *row) for n, row in enumerate(rows)]


def _host(body: Iterable[HostStmt], pad: str, nest: Nest) -> list[str]:
    return [line for s in body for line in _host_one(s, pad, nest)]


def _host_one(s: HostStmt, pad: str, nest: Nest) -> list[str]:
    match s:
        case HostLoop(var=var, start=start, stop=stop, step=step, body=body):
            bounds = ", ".join(show_expr(nest, e) for e in (start, stop))
            by = f", {step}" if step != 1 else ""
            return [f"{pad}for {var} in range({bounds}{by}):", *_host(body, pad + "  ", nest)]
        case HostWhile(body=body):
            return [f"{pad}repeat:", *_host(body, pad + "  ", nest)]
        case ReadBack(name=name, array=array):
            return [f"{pad}{name} = {array}[0], waited for"]
        case Leave(unless=test):
            return [f"{pad}leave unless {show_expr(nest, test)}"]
        case HostLet(name=name, value=value):
            return [f"{pad}{name} = {show_expr(nest, value)}"]
        case HostIf(test=test, then=then, orelse=orelse):
            lines = [f"{pad}if {_test(test, nest)}:", *_host(then, pad + "  ", nest)]
            return lines + ([f"{pad}else:", *_host(orelse, pad + "  ", nest)] if orelse else [])
        case Launch(kernel=kernel, grid=grid):
            return [f"{pad}launch {kernel} on a grid of {' x '.join(_factor(g, nest) for g in grid)} blocks"]


def _factor(e: Expr, nest: Nest) -> str:
    text = show_expr(nest, e)
    return text if isinstance(e, Const) or "(" not in text.strip("()") and " " not in text else f"[{text}]"


def _test(test: Expr | Aligned, nest: Nest) -> str:
    if not isinstance(test, Aligned):
        return show_expr(nest, test)
    rows = "".join(f", {show_expr(nest, m)} a multiple of {test.of}" for m in test.multiples)
    near = "".join(f", {show_expr(nest, n)} below 2**31" for n in test.near)
    return f"{', '.join(test.arrays)} aligned to {test.bytes} bytes{rows}{near}"
