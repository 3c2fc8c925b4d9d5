"""Statements of a kernel as C++: one small function per node; lines are indented by four spaces a level."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatch

from tl2hip.dtypes import BOOL, F32, I64, DType
from tl2hip.hip.access import element, guarded_offset, offset
from tl2hip.hip.atomics import atomic
from tl2hip.hip.context import Context, Known
from tl2hip.hip.expressions import FP8, plain_is_exact, show
from tl2hip.hip.facts import is_index, is_natural, is_positive
from tl2hip.hip.helpers import WIDTH
from tl2hip.hip.helpers import extreme as extreme_step
from tl2hip.hip.names import Names
from tl2hip.hip.origins import file_name
from tl2hip.hip.reductions import combined, extreme, prefix, reduction
from tl2hip.hip.text import Text, infix
from tl2hip.hip.wrap import wrapped_lines
from tl2hip.nest.ir import Binary, Const, Expr, Load, Logic, Set, Store, Update, Var
from tl2hip.plan.ir import Barrier, Declare, DeviceIf, DeviceStmt, DeviceWhile, Extreme, For, Let, MultiplyAdd
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.lds import scratch
from tl2hip.source.span import NOWHERE, Source, Span

ASSIGNABLE = frozenset(["+", "-", "*", "/", "&", "|", "^"])
"""The operators that C++ spells `op=` with the nest's meaning (bool apart)."""


@dataclass(slots=True)
class Writer:
    """The lines of one function, and what they need."""

    ctx: Context
    names: Names
    source: Source
    thread: str = "threadIdx.x"
    """The number of a thread in its block."""
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    users: list[int] = field(default_factory=list)
    """For each of the lines that statements have written, the user's line that it is from; 0: not known."""
    quoted: set[int] = field(default_factory=set)
    scratch: dict[str, tuple[str, DType, int]] = field(default_factory=dict)
    """LDS that reductions over the block share: key to (C name, dtype, elements)."""

    def line(self, text: str, note: str = "") -> None:
        """Appends a line of code; a note goes beside it, or above where there is no room."""
        pad = "    " * self.depth
        beside = f"{pad}{text}  // {note}"
        if note and len(beside) <= WIDTH:
            self.lines.append(beside)
            return
        if note:
            self.lines.append(f"{pad}// {note}")
        self.lines += [f"{pad}{text}"] if text.startswith("//") else wrapped_lines(f"{pad}{text}")

    def quote(self, at: Span) -> None:
        """The user's line as a comment, once in a function; nothing where no user wrote the statement."""
        if self.would_quote(at):
            self.quoted.add(at.line)
            self.line(quoted(self.source, at.line))

    def would_quote(self, at: Span) -> bool:
        """Whether the line at a place is the user's and not quoted yet."""
        return at.line != 0 and at.line not in self.quoted

    def text(self, e: Expr) -> str:
        return show(e, self.ctx).argument

    def block(self, head: str, body: tuple[DeviceStmt, ...], tail: str = "}", note: str = "") -> None:
        """Appends a head, a body one level deeper, and the tail if there is one."""
        self.line(head, note)
        self.depth += 1
        self.write_all(body)
        self.depth -= 1
        if tail:
            self.line(tail)

    def write_all(self, body: tuple[DeviceStmt, ...]) -> None:
        """Appends the lines of a body."""
        for s in body:
            begin = self.began()
            write(s, self)
            self.wrote(s, begin)

    def began(self) -> int:
        """Where the lines of the next statement begin; what stands before is from no statement but those around."""
        self.users += [0] * (len(self.lines) - len(self.users))
        return len(self.lines)

    def wrote(self, s: DeviceStmt, begin: int) -> None:
        """The lines from `begin` on are from this statement, but for those that are from one inside it."""
        self.began()
        at: Span = getattr(s, "at", NOWHERE)
        self.users[begin:] = [line or at.line for line in self.users[begin:]]


def quoted(source: Source, line: int) -> str:
    """`// gemm.py:15: s += f32(A[i, k])`: a line of the user, safe inside a comment."""
    text = source.line(line).rstrip("\\").rstrip()
    return f"// {file_name(source)}:{line}: {text}"


@singledispatch
def write(s: DeviceStmt, w: Writer) -> None:
    """Appends the lines of one statement. Raises TypeError for a node that no function below knows."""
    raise TypeError(f"no C++ for {type(s).__name__}")


# --- names -----------------------------------------------------------------------------------------------


@write.register
def _let(s: Let, w: Writer) -> None:
    w.quote(s.at)
    value = w.text(s.value)
    if s.form == "uniform":
        value = f"__builtin_amdgcn_readfirstlane({value})"
    if s.form == "wide":
        value = f"(i64)(int)({value})"
    w.line(f"const {kept(s.value.dtype, s.form)} {w.ctx.c(s.name)} = {value};")
    note_value(s.name, s.value, w.ctx)


def note_value(name: str, value: Expr, ctx: Context) -> None:
    """Remembers of an i64 constant whether it is an index, and whether it is not negative, or 1 or more."""
    known = ctx.known
    index = value.dtype is I64 and is_index(value, known)
    natural, positive = index and is_natural(value, known), index and is_positive(value, known)
    known.learn(name, index=index, natural=natural, positive=positive)


@write.register
def _declare(s: Declare, w: Writer) -> None:
    w.quote(s.at)
    start = "" if s.value is None else f" = {w.text(s.value)}"
    w.line(f"{kept(s.dtype, s.form)} {w.ctx.c(s.name)}{start};")


def kept(dtype: DType, form: str) -> str:
    """The C type of a scalar that is kept in a form."""
    return "int" if form in ("int", "uniform") else dtype.c


@write.register
def _set(s: Set, w: Writer) -> None:
    w.quote(s.at)
    name, v = w.ctx.c(s.name), s.value
    if isinstance(v, Binary) and v.left == Var(s.name, v.dtype) and _assigns(v.op, v.left, v.right, w.ctx):
        w.line(f"{name} {v.op}= {w.text(v.right)};")
    else:
        w.line(f"{name} = {w.text(v)};")


def _assigns(op: str, left: Expr, right: Expr, ctx: Context) -> bool:
    """Whether C++'s `left op= right` is the nest's `left = left op right`."""
    t = left.dtype
    if op not in ASSIGNABLE or t is BOOL or t in FP8 or (op == "/" and not t.is_float):
        return False
    wraps = op in "+-*" and t.kind == "int" and t.bits >= 32
    return not wraps or plain_is_exact(op, left, right, ctx)


# --- memory ----------------------------------------------------------------------------------------------


@write.register
def _multiply_add(s: MultiplyAdd, w: Writer) -> None:
    w.quote(s.at)
    function = "__builtin_fmaf" if s.left.dtype is F32 else "__builtin_fma"
    name = w.ctx.c(s.name)
    w.line(f"{name} = {function}({w.text(s.left)}, {w.text(s.right)}, {name});")


@write.register
def _extreme(s: Extreme, w: Writer) -> None:
    w.quote(s.at)
    name = w.ctx.c(s.name)
    w.line(f"{name} = {w.ctx.call(extreme_step(s.op, s.value.dtype))}({name}, {w.text(s.value)});")


@write.register
def _store(s: Store, w: Writer) -> None:
    w.quote(s.at)
    array = w.ctx.c(s.array)
    if s.array in w.ctx.vectors:
        w.line(f"{element(s.array, s.index, w.ctx, show)} = {w.text(s.value)};")
    elif s.proven:
        w.line(f"{array}[{offset(s.array, s.index, w.ctx, show).argument}] = {w.text(s.value)};")
    else:
        _guarded(s.array, s.index, f"{array}[at] = {w.text(s.value)};", w)


def _guarded(array: str, index: tuple[Expr, ...], statement: str, w: Writer) -> None:
    """The statement about element `at`, dropped where the index lies outside the array."""
    place = guarded_offset(array, index, w.ctx, show).argument
    w.line(f"if (const i64 at = {place}; at >= 0)")
    w.line(f"    {statement}")


@write.register
def _update(s: Update, w: Writer) -> None:
    w.quote(s.at)
    array = w.ctx.c(s.array)
    if not s.proven:
        _guarded(s.array, s.index, _updated(s, f"{array}[at]", w), w)
        return
    place = offset(s.array, s.index, w.ctx, show).argument
    statement = _updated(s, f"{array}[{place}]", w)
    if statement.count(f"[{place}]") > 1 and not place.replace("_", "a").isalnum():
        w.line(f"{{ const i64 at = {place}; {_updated(s, f'{array}[at]', w)} }}")
    else:
        w.line(statement)


def _updated(s: Update, place: str, w: Writer) -> str:
    """The statement that combines the element at `place` with the value."""
    t, ctx = s.value.dtype, w.ctx
    old = Load(s.array, s.index, t, s.proven)
    if s.atomic:
        text, needs = combined(s.op, t, "old", "by", ctx)
        return f"{atomic(s.op, t, place, w.text(s.value), text, needs, ctx)};"
    if s.op in ASSIGNABLE and _assigns(s.op, old, s.value, ctx):
        return f"{place} {s.op}= {w.text(s.value)};"
    return f"{place} = {_applied(s, place, t, ctx)};"


def _applied(s: Update, place: str, t: DType, ctx: Context) -> str:
    """`element op value` where the element is text already."""
    old = "\0"
    inner = replace(ctx, names=_With(ctx, old, place))
    left = Var(old, t)
    e = Logic(s.op, left, s.value) if s.op in ("and", "or") else Binary(s.op, left, s.value)
    return show(e, inner).argument


class _With:
    """The names of a context and one more, which stands for a piece of text."""

    def __init__(self, ctx: Context, name: str, text: str) -> None:
        self._names, self._name, self._text = ctx.names, name, text

    def __getitem__(self, name: str) -> str:
        return self._text if name == self._name else self._names[name]


# --- control ---------------------------------------------------------------------------------------------


ONE_BODY = "#pragma clang loop unroll(disable) vectorize(disable)"
"""Said before a loop of one body. Clang would vectorise one with strided accesses too, for which gfx942 has no
instructions: that is the same as unrolling, and costs scalar registers for every copy."""


@write.register
def _for(s: For, w: Writer) -> None:
    w.quote(s.at)
    if s.unroll is not None:
        w.line(f"#pragma unroll {s.unroll}" if s.unroll > 1 else ONE_BODY)
    known = w.ctx.known
    known.learn(s.var, natural=natural_loop(s.start, s.stop, s.down, known))
    known.below[s.var] = None if s.down else s.stop
    head = loop_head(s.var, s.start, s.stop, s.step, s.down, w.ctx, s.small, s.going)
    w.block(f"for ({head}) {{", s.body, note=s.note)


def natural_loop(start: Expr, stop: Expr, down: bool, known: Known) -> bool:
    """Whether a loop's variable is never negative: it starts so and goes up, or goes down to 0 at the least."""
    if not down:
        return is_natural(start, known)
    return is_natural(stop, known) or stop == Const(-1, I64)


def loop_head(
    var: str,
    start: Expr,
    stop: Expr,
    step: Expr,
    down: bool,
    ctx: Context,
    small: bool = False,
    going: Expr | None = None,
) -> str:
    """`i64 i = start; i < stop; i += step`, or with an int where `small`, or `going && i < stop` in the middle."""
    name = ctx.c(var)
    test = infix(">" if down else "<", Text(name), show(stop, ctx)).text
    if going is not None:
        test = f"{show(going, ctx).text} && {test}"
    kind = "int" if small else "i64"
    return f"{kind} {name} = {show(start, ctx).argument}; {test}; {_advance(name, step, ctx)}"


def _advance(name: str, step: Expr, ctx: Context) -> str:
    if step == Const(1, I64):
        return f"++{name}"
    if step == Const(-1, I64):
        return f"--{name}"
    if isinstance(step, Const) and step.value < 0:
        return f"{name} -= {-step.value}"
    return f"{name} += {show(step, ctx).argument}"


@write.register
def _if(s: DeviceIf, w: Writer) -> None:
    w.quote(s.at)
    head = "if"
    while True:
        w.block(f"{head} ({w.text(s.test)}) {{", s.then, "", s.note)
        other = s.orelse[0] if len(s.orelse) == 1 else None
        if not isinstance(other, DeviceIf) or w.would_quote(other.at):
            break
        s, head = other, "} else if"
    if s.orelse:
        w.block("} else {", s.orelse, "")
    w.line("}")


@write.register
def _while(s: DeviceWhile, w: Writer) -> None:
    w.quote(s.at)
    w.block(f"while ({w.text(s.test)}) {{", s.body)


# --- lanes together --------------------------------------------------------------------------------------


@write.register
def _barrier(s: Barrier, w: Writer) -> None:
    w.line("__syncthreads();", s.note)


@write.register
def _combine(s: Combine, w: Writer) -> None:
    if s.threads % 64:
        raise ValueError(f"{s.threads} threads are no whole number of waves")
    w.quote(s.at)
    names = [w.ctx.c(name) for name, _ in s.variables]
    dtypes = tuple(t for _, t in s.variables)
    parts = [_scratch(key, t, n, w) for key, t, n in scratch(dtypes, s.threads, s.slot)]
    parts += [w.thread] if parts else []
    if len(dtypes) == 1:
        function = reduction(s.op, dtypes[0], s.threads, w.ctx, once=s.slot is not None)
        w.line(f"{names[0]} = {function}({', '.join([*names, *parts])});")
    else:
        function = extreme(s.op, dtypes[0], s.threads, w.ctx, once=s.slot is not None)
        w.line(f"{function}({', '.join([*names, *parts])});")


@write.register
def _prefix(s: Prefix, w: Writer) -> None:
    w.quote(s.at)
    parts = [_scratch(key, t, n, w) for key, t, n in scratch((s.dtype,), s.threads)]
    parts += [w.thread] if parts else []
    name, whole = w.ctx.c(s.name), w.ctx.c(s.whole)
    w.line(f"{name} = {prefix(s.op, s.dtype, s.threads, w.ctx)}({', '.join([name, whole, *parts])});")


def _scratch(key: str, dtype: DType, elements: int, w: Writer) -> str:
    """The C name of an LDS array that the reductions of this kernel share."""
    if key not in w.scratch:
        w.scratch[key] = (w.names.own(f"lds_{key}"), dtype, elements)
    return w.scratch[key][0]
