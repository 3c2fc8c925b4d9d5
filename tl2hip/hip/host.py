"""Host statements of a plan: loops, the choice between variants, launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch

from tl2hip.dtypes import I64
from tl2hip.hip.context import Context
from tl2hip.hip.expressions import show
from tl2hip.hip.helpers import WIDTH
from tl2hip.hip.kernel import broken
from tl2hip.hip.names import Names
from tl2hip.hip.statements import loop_head, natural_loop, note_value, quoted
from tl2hip.hip.text import MUL
from tl2hip.hip.wrap import wrapped_lines
from tl2hip.nest.ir import Const, Expr, Unary
from tl2hip.plan.ir import (
    Aligned,
    DeviceKernel,
    HostIf,
    HostLet,
    HostLoop,
    HostStmt,
    HostWhile,
    Launch,
    Leave,
    Plan,
    ReadBack,
)
from tl2hip.source.span import Span


@dataclass(slots=True)
class HostWriter:
    """The lines of the launcher's body, and what they need."""

    ctx: Context
    plan: Plan
    names: Names
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    quoted: set[int] = field(default_factory=set)
    declared: frozenset[str] = frozenset()
    """What has been read back in the blocks around."""

    def line(self, text: str) -> None:
        """Appends a line of code."""
        line = f"{'    ' * self.depth}{text}"
        self.lines += [line] if text.startswith("//") or "\n" in text else wrapped_lines(line)

    def refuse(self, tests: list[str]) -> None:
        """Returns an error where any test holds: all on one line, or a line for each."""
        pad = "    " * self.depth
        together = f"if ({' || '.join(tests)})"
        fits = len(pad + together) <= WIDTH
        self.line(together if fits else f"if ({f' ||{chr(10)}{pad}    '.join(tests)})")
        self.line("    return hipErrorInvalidValue;")

    def quote(self, at: Span) -> None:
        """The user's line as a comment, once."""
        if at.line and at.line not in self.quoted:
            self.quoted.add(at.line)
            self.line(quoted(self.plan.nest.source, at.line))

    def kernel(self, name: str) -> DeviceKernel:
        """The kernel of that name; KeyError where the plan has none."""
        return {k.name: k for k in self.plan.kernels}[name]


def write_host(body: tuple[HostStmt, ...], w: HostWriter) -> None:
    """Appends the lines of a body of the launcher."""
    for s in body:
        write(s, w)


@singledispatch
def write(s: HostStmt, w: HostWriter) -> None:
    """Appends the lines of one statement. Raises TypeError for a node that no function below knows."""
    raise TypeError(f"no C++ for {type(s).__name__}")


@write.register
def _loop(s: HostLoop, w: HostWriter) -> None:
    w.quote(s.at)
    step, down = Const(s.step, I64), s.step < 0
    w.ctx.known.learn(s.var, natural=natural_loop(s.start, s.stop, down, w.ctx.known))
    _block(f"for ({loop_head(s.var, s.start, s.stop, step, down, w.ctx)}) {{", s.body, w)
    w.line("}")


@write.register
def _while(s: HostWhile, w: HostWriter) -> None:
    w.quote(s.at)
    _block("for (;;) {", s.body, w)
    w.line("}")


@write.register
def _leave(s: Leave, w: HostWriter) -> None:
    w.line(f"if ({show(Unary('not', s.unless), w.ctx).argument})")
    w.line("    break;")


@write.register
def _read_back(s: ReadBack, w: HostWriter) -> None:
    name = w.names[s.name]
    if s.name not in w.declared:
        w.line(f"{s.dtype.c} {name};")
        w.declared |= {s.name}
    w.line(f"if (const hipError_t error = read_back(&{name}, {w.names[s.array]}, stream))")
    w.line("    return error;")


def _block(head: str, body: tuple[HostStmt, ...], w: HostWriter) -> None:
    w.line(head)
    declared = w.declared
    w.depth += 1
    write_host(body, w)
    w.depth -= 1
    w.declared = declared


@write.register
def _let(s: HostLet, w: HostWriter) -> None:
    if s.note:
        w.line(f"// {s.note}")
    w.line(f"const i64 {w.names[s.name]} = {show(s.value, w.ctx).argument};")
    note_value(s.name, s.value, w.ctx)


@write.register
def _if(s: HostIf, w: HostWriter) -> None:
    _chosen("if", s, w)


def _chosen(word: str, s: HostIf, w: HostWriter) -> None:
    """A choice, or a further one in the place of what is left."""
    w.quote(s.at)
    test = aligned(s.test, w) if isinstance(s.test, Aligned) else show(s.test, w.ctx).argument
    _block(f"{word} ({test}) {{", s.then, w)
    if len(s.orelse) == 1 and isinstance(s.orelse[0], HostIf) and not s.orelse[0].at.line:
        _chosen("} else if", s.orelse[0], w)
        return
    if s.orelse:
        _block("} else {", s.orelse, w)
    w.line("}")


def aligned(test: Aligned, w: HostWriter) -> str:
    """Whether pointers start, and row pitches stand, at multiples that wide accesses need, within reach."""
    tests = [f"(size_t){w.names[a]} % {test.bytes} == 0" for a in test.arrays]
    tests += [f"{show(m, w.ctx).inside(MUL)} % {test.of} == 0" for m in test.multiples]
    tests += [f"{show(n, w.ctx).argument} < {2**31}" for n in test.near]
    return " && ".join(tests) or "true"


@write.register
def _launch(s: Launch, w: HostWriter) -> None:
    """The launch, not reached where one side of the grid is 0."""
    kernel = w.kernel(s.kernel)
    lets: list[str] = []
    sides = [_side(side, g, w, lets) for side, g in zip("xyz", s.grid, strict=True)]
    while len(sides) > 1 and sides[-1] == "1":
        sides.pop()
    if any(g == Const(0, I64) for g in s.grid):
        return
    arguments = [
        w.names[kernel.name],
        f"dim3({', '.join(sides)})",
        f"dim3({', '.join(_trimmed(kernel.block))})",
        "0",
        "stream",
        *(w.names[a] for a in kernel.arrays),
        *(w.names[n] for n, _ in kernel.scalars),
    ]
    if not lets:
        w.line(_call(arguments, w.depth))
        return
    test = " && ".join(f"{x.partition(' = ')[0]} > 0" for x in lets)
    short = f"if (const i64 {', '.join(lets)}; {test})"
    if len(short) + 4 * w.depth <= WIDTH:
        w.line(short)
        w.line(f"    {_call(arguments, w.depth + 1)}")
        return
    w.line("{")
    for x in lets:
        w.line(f"    const i64 {x};")
    w.line(f"    if ({test})")
    w.line(f"        {_call(arguments, w.depth + 2)}")
    w.line("}")


def _call(arguments: list[str], depth: int) -> str:
    launch = "hipLaunchKernelGGL("
    return f"{launch}{broken('    ' * depth + launch, arguments)});"


def _side(side: str, blocks: Expr, w: HostWriter, lets: list[str]) -> str:
    """One side of a grid as an unsigned number; what is not constant is evaluated once, into `lets`."""
    if isinstance(blocks, Const):
        return str(blocks.value)
    text = show(blocks, w.ctx)
    name = w.names.own(f"grid_{side}")
    lets.append(f"{name} = {text.argument}")
    return f"(unsigned int){name}"


def _trimmed(block: tuple[int, int, int]) -> list[str]:
    x, y, z = block
    return [str(n) for n in ((x,) if y == z == 1 else (x, y) if z == 1 else block)]
