"""show: a nest as plain Python loops that run on NumPy, every cast written out.

Each statement follows the user's line it came from, as a comment. Names that tl2hip made keep the names they
have in the nest; a loop has the user's variable where that is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tl2hip.dtypes import BOOL, F64, I64, ML_DTYPES, DType
from tl2hip.nest.ir import (
    Alloc,
    Array,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    While,
)
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs
from tl2hip.source.span import NOWHERE, Span

_LEVEL = {
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": 12,
}
_TERNARY, _OR, _AND, _NOT, _COMPARE, _UNARY, _ATOM = 0, 1, 2, 3, 4, 11, 20

_NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
_MATH_ONLY = ("erf", "erfc")

_USED = ("abs", "max", "min", "range", "np", "math", "ml_dtypes")
"""What the text itself uses: a name of the nest that is one of these gets a `_`."""


def show(nest: Nest) -> str:
    """The nest as the text of a Python module with one function; it takes the user's arguments, and the sizes
    that no array's shape tells as keywords."""
    printer = _Printer(nest)
    lines = list(printer.function())
    head = ["import math", "", "import numpy as np"] if printer.uses_math else ["import numpy as np"]
    if printer.uses_ml_dtypes:
        head = [*head[:-1], "import ml_dtypes", head[-1]]
    return "\n".join([*head, "", "", *lines]) + "\n"


def show_expr(nest: Nest, e: Expr) -> str:
    """One expression of a nest as `show` prints it."""
    return _Printer(nest).expr(e)


@dataclass(slots=True)
class _Printer:
    nest: Nest
    uses_math: bool = False
    uses_ml_dtypes: bool = False
    axes: dict[str, str] = field(default_factory=dict)
    """What each loop around is called in the text."""
    quoted: Span = NOWHERE
    """The statement whose line was quoted last."""

    # --- the function --------------------------------------------------------------------------------

    def function(self) -> Iterator[str]:
        nest = self.nest
        sizes, free = _sizes(nest, self.name)
        taken = [*map(self.name, nest.order), *(("*", *free) if free else ())]
        yield f"def {nest.name}({', '.join(taken)}):"
        if nest.doc:
            first = nest.doc.strip().splitlines()[0]
            yield f'    """{first}"""'
        for name, text in sizes:
            yield f"    {name} = {text}"
        for check in nest.checks:
            yield f"    assert {self.expr(check.test)}"
        body = list(self.block(nest.body, "    "))
        yield from body
        if nest.results:
            names = [self.name(r) for r in nest.results]
            back = [f"{n}[0]" if r in nest.scalar_results else n for n, r in zip(names, nest.results, strict=True)]
            yield f"    return {', '.join(back)}"
        elif not body and not sizes and not nest.checks:
            yield "    pass"

    def block(self, body: tuple[Stmt, ...], indent: str) -> Iterator[str]:
        for s in body:
            comment = self.quote(s, indent)
            lines = list(self.statement(s, indent))
            if comment and not lines[0].startswith(comment.replace("# ", "", 1)):
                yield comment
            yield from lines

    def inner(self, body: tuple[Stmt, ...], indent: str) -> Iterator[str]:
        if not body:
            yield f"{indent}    pass"
        yield from self.block(body, indent + "    ")

    def quote(self, s: Stmt, indent: str) -> str:
        """The user's line as a comment, once where several statements came from it; empty for none."""
        if s.at == NOWHERE or s.at == self.quoted:
            return ""
        self.quoted = s.at
        return f"{indent}# {self.nest.source.line(s.at.line)}"

    # --- statements ----------------------------------------------------------------------------------

    def statement(self, s: Stmt, indent: str) -> Iterator[str]:
        match s:
            case Loop(axis=axis, body=body):
                start, stop = self.expr(axis.start), self.expr(axis.stop)
                name = self.axis_name(axis)
                yield f"{indent}for {self.name(name)} in {_range(start, stop, axis.step)}:{_marks(axis)}"
                self.axes[axis.name] = name
                yield from self.inner(body, indent)
                del self.axes[axis.name]
            case While(test=test, body=body):
                yield f"{indent}while {self.expr(test)}:"
                yield from self.inner(body, indent)
            case If(test=test, then=then, orelse=orelse):
                yield from self.branch(test, then, orelse, indent)
            case Set(name=name, value=value):
                yield f"{indent}{self.name(name)} = {self.expr(value)}"
            case Store(array=array, index=index, value=value):
                yield f"{indent}{self.name(array)}[{self.index(index)}] = {self.expr(value)}"
            case Update():
                yield f"{indent}{self.update(s)}"
            case Alloc(array=array):
                yield f"{indent}{self.name(array)} = {self.empty(self.nest.array(array))}"

    def branch(self, test: Expr, then: tuple[Stmt, ...], orelse: tuple[Stmt, ...], indent: str) -> Iterator[str]:
        if not then:
            yield f"{indent}if not {self.expr(test, _NOT + 1)}:"
            yield from self.inner(orelse, indent)
            return
        yield f"{indent}if {self.expr(test)}:"
        yield from self.inner(then, indent)
        if orelse:
            yield f"{indent}else:"
            yield from self.inner(orelse, indent)

    def update(self, s: Update) -> str:
        place = f"{self.name(s.array)}[{self.index(s.index)}]"
        if s.op in ("min", "max"):
            return f"{place} = {s.op}({place}, {self.expr(s.value)})"
        if s.op in ("minimum", "maximum", "fmin", "fmax"):
            return f"{place} = np.{s.op}({place}, {self.expr(s.value)})"
        if s.op in ("and", "or"):
            return f"{place} = {place} {s.op} {self.expr(s.value, _COMPARE)}"
        return f"{place} {s.op}= {self.expr(s.value)}"

    def empty(self, array: Array) -> str:
        extents = ", ".join(self.expr(e) for e in array.shape)
        comma = "," if len(array.shape) == 1 else ""
        return f"np.empty(({extents}{comma}), {self.dtype(array.dtype)})"

    def name(self, name: str) -> str:
        """A name of the nest as the text has it."""
        if name not in _USED:
            return name
        taken = {*_names(self.nest), *(a for s in all_stmts(self.nest.body) for a in _axis_names(s))}
        while name in taken or name in _USED:
            name += "_"
        return name

    def axis_name(self, axis: Axis) -> str:
        """The user's name where nothing else in reach has it, else the nest's."""
        user = axis.user
        taken = {*self.axes.values(), *_names(self.nest)} - {axis.name}
        return user if user and user not in taken else axis.name

    # --- expressions ---------------------------------------------------------------------------------

    def index(self, index: tuple[Expr, ...]) -> str:
        return ", ".join(self.expr(e) for e in index) or "()"

    def dtype(self, dtype: DType) -> str:
        if dtype in ML_DTYPES:
            self.uses_ml_dtypes = True
            return f"ml_dtypes.{dtype.numpy}"
        return f"np.{dtype.numpy}_" if dtype is BOOL else f"np.{dtype.numpy}"

    def expr(self, e: Expr, level: int = _TERNARY) -> str:
        """The expression, in parentheses where what is around it binds tighter than `level` allows."""
        text, own = self.parts(e)
        return f"({text})" if own < level else text

    def parts(self, e: Expr) -> tuple[str, int]:
        """The text of an expression and how tightly it binds."""
        match e:
            case Const(value=value, dtype=dtype):
                return self.const(value, dtype)
            case AxisRef(axis=name):
                return self.name(self.axes.get(name, name)), _ATOM
            case Dim(name=name) | Scalar(name=name) | Var(name=name):
                return self.name(name), _ATOM
            case Load(array=array, index=index):
                return f"{self.name(array)}[{self.index(index)}]", _ATOM
            case Unary(op=op, value=value):
                return self.unary(op, value)
            case Binary(op=op, left=a, right=b):
                return self.binary(op, a, b)
            case Compare(op=op, left=a, right=b):
                return f"{self.expr(a, _COMPARE + 1)} {op} {self.expr(b, _COMPARE + 1)}", _COMPARE
            case Logic(op=op, left=a, right=b):
                level = _AND if op == "and" else _OR
                return f"{self.expr(a, level)} {op} {self.expr(b, level + 1)}", level
            case Select(test=t, then=a, orelse=b):
                return f"{self.expr(a, 1)} if {self.expr(t, 1)} else {self.expr(b, 1)}", _TERNARY
            case Cast():
                return self.cast(e), _ATOM
            case Call(name="pow", args=(a, b)):
                return self.binary("**", a, b)  # np.power has short cuts that give other values
            case Call():
                return self.call(e), _ATOM

    def const(self, value: int | float | bool, dtype: DType) -> tuple[str, int]:
        if dtype in (I64, BOOL):
            return str(value), _UNARY if dtype is I64 and value < 0 else _ATOM
        text = self.number(value)
        if dtype is F64 and text[-1] not in ")fn":
            return text, _UNARY if value < 0 or math.copysign(1, value) < 0 else _ATOM
        return f"{self.dtype(dtype)}({text})", _ATOM

    def number(self, value: int | float | bool) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            sign = "-" if value == -math.inf else ""
            return f"{sign}np.nan" if math.isnan(value) else f"{sign}np.inf"
        return repr(value)

    def unary(self, op: str, value: Expr) -> tuple[str, int]:
        if op == "not":
            return f"not {self.expr(value, _NOT)}", _NOT
        if op == "abs":
            return f"abs({self.expr(value)})", _ATOM
        return f"{op}{self.expr(value, _UNARY)}", _UNARY

    def binary(self, op: str, a: Expr, b: Expr) -> tuple[str, int]:
        if op in ("min", "max"):
            return f"{op}({self.expr(a)}, {self.expr(b)})", _ATOM
        if op in ("minimum", "maximum", "fmin", "fmax"):
            return f"np.{op}({self.expr(a)}, {self.expr(b)})", _ATOM
        level = _LEVEL[op]
        if op == "**":
            return f"{self.expr(a, level + 1)} ** {self.expr(b, level)}", level
        return f"{self.expr(a, level)} {op} {self.expr(b, level + 1)}", level

    def cast(self, e: Cast) -> str:
        old, new = e.value.dtype, e.dtype
        inner = self.expr(e.value)
        if new.is_int and old.is_int and new is not I64:
            return f"np.int64({inner}).astype({self.dtype(new)})"
        if new.is_int and old.is_float and new is not I64:
            return f"np.int64({inner}).astype({self.dtype(new)})"
        return f"{self.dtype(new)}({inner})"

    def call(self, e: Call) -> str:
        args = ", ".join(self.expr(a) for a in e.args)
        if e.name == "rsqrt":
            dtype = self.dtype(e.dtype)
            return f"({dtype}(1) / np.sqrt({args}))"
        if e.name in _MATH_ONLY:
            self.uses_math = True
            return f"{self.dtype(e.dtype)}(math.{e.name}({args}))"
        return f"np.{_NUMPY_NAMES.get(e.name, e.name)}({args})"


def _range(start: str, stop: str, step: int) -> str:
    if step != 1:
        return f"range({start}, {stop}, {step})"
    return f"range({stop})" if start == "0" else f"range({start}, {stop})"


def _marks(axis: Axis) -> str:
    said = [str(axis.tile)] if axis.tile is not None else []
    said += [m.name if m.value is None else f"{m.name}({m.value})" for m in axis.marks]
    return f"  # tile: {', '.join(said)}" if said else ""


def _names(nest: Nest) -> set[str]:
    """Every name of the nest that a loop variable must not hide."""
    return {
        *(a.name for a in nest.arrays),
        *(s.name for s in nest.scalars),
        *(v.name for v in nest.variables),
        *nest.dims,
    }


def _axis_names(s: Stmt) -> tuple[str, ...]:
    return (s.axis.name, s.axis.user) if isinstance(s, Loop) else ()


def _sizes(nest: Nest, named: Callable[[str], str]) -> tuple[list[tuple[str, str]], list[str]]:
    """How each dim follows from the shapes of the arguments, and the dims that do not."""
    found: dict[str, str] = {}
    for a in nest.arrays:
        if a.role != "parameter":
            continue
        for axis, extent in enumerate(a.shape):
            place = f"{named(a.name)}.shape[{axis}]"
            match extent:
                case Dim(name=name):
                    found.setdefault(name, place)
                case Binary(op="+", left=Dim(name=name), right=Const(value=value)):
                    found.setdefault(name, f"{place} - {value}")
                case Binary(op="-", left=Dim(name=name), right=Const(value=value)):
                    found.setdefault(name, f"{place} + {value}")
                case _:
                    continue
    used = {p.name for s in all_stmts(nest.body) for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Dim)}
    used |= {
        p.name
        for a in nest.arrays
        if a.role != "parameter"
        for e in a.shape
        for p in all_parts(e)
        if isinstance(p, Dim)
    }
    used |= {p.name for c in nest.checks for p in all_parts(c.test) if isinstance(p, Dim)}
    needed = [d for d in nest.dims if d in used]
    return [(d, found[d]) for d in needed if d in found], [d for d in needed if d not in found]
