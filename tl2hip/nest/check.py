"""Whether a nest is well formed: what every stage may rely on, checked between stages.

A nest that fails is a fault of tl2hip, never of the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tl2hip.dtypes import BOOL, I64, DType
from tl2hip.nest.ir import (
    FUNCTIONS,
    Alloc,
    Array,
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
from tl2hip.nest.walk import all_parts, parts

FLOAT_ONLY = ("/",)
WHOLE_ONLY = ("<<", ">>")
BITWISE = ("&", "|", "^")
BINARY = ("+", "-", "*", "/", "//", "%", "**", *BITWISE, "<<", ">>", "min", "max")
EXTREMES = ("minimum", "maximum", "fmin", "fmax")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UPDATES = ("+", "*", "min", "max", *EXTREMES, *BITWISE, "and", "or")
TESTS_OF_FLOATS = ("isnan", "isinf", "isfinite")


class Malformed(Exception):
    """A stage left a nest that breaks a rule of `nest.ir`; the message says which rule and where."""


def verify(nest: Nest) -> None:
    """Raises Malformed where a nest is not well formed: dtypes that differ, names that nothing declares, an
    axis out of its loop or twice in the nest, an index of the wrong rank."""
    names = [a.name for a in nest.arrays] + [v.name for v in nest.variables] + [s.name for s in nest.scalars]
    _require(len(set(names)) == len(names), f"a name is declared twice among {names}", nest)
    checker = _Checker(nest)
    checker.declarations()
    checker.block(nest.body)


def _require(holds: bool, rule: str, where: object) -> None:
    if not holds:
        raise Malformed(f"{rule}: {where}")


@dataclass(slots=True)
class _Checker:
    """What is declared, and the loops around the place that is looked at."""

    nest: Nest
    arrays: dict[str, Array] = field(default_factory=dict)
    variables: dict[str, DType] = field(default_factory=dict)
    scope: list[str] = field(default_factory=list)
    axes: set[str] = field(default_factory=set)
    alive: set[str] = field(default_factory=set)

    def declarations(self) -> None:
        nest = self.nest
        self.arrays = {a.name: a for a in nest.arrays}
        self.variables = {v.name: v.dtype for v in nest.variables}
        self.alive = {a.name for a in nest.arrays if a.role != "local"}
        arguments = {a.name for a in nest.arrays if a.role == "parameter"} | {s.name for s in nest.scalars}
        _require(set(nest.order) <= arguments, "a parameter is not declared", nest.order)
        for a in nest.arrays:
            self._array(a)
        for name in (*nest.results, *nest.scalar_results, *nest.distinct, *nest.offsets):
            _require(name in self.arrays, "no such array", name)
        for check in nest.checks:
            self._wants(check.test, BOOL)

    def _array(self, a: Array) -> None:
        _require(a.strides is None or len(a.strides) == len(a.shape), "a stride for each extent", a.name)
        for e in (*a.shape, *(a.strides or ())):
            _require(e.dtype is I64, "extents and strides are i64", a)
            if a.role != "local":
                self.expr(e)
                outer = any(isinstance(p, Load | Var | AxisRef) for p in all_parts(e))
                _require(not outer, "extents of parameters use sizes only", a)

    # --- statements ------------------------------------------------------------------------------

    def block(self, body: tuple[Stmt, ...]) -> None:
        _require(isinstance(body, tuple), "a body is a tuple", body)
        for s in body:
            self._statement(s)

    def _statement(self, s: Stmt) -> None:
        match s:
            case Set(name=name, value=value):
                _require(name in self.variables, "no such variable", name)
                self._wants(value, self.variables[name])
            case Store(value=value):
                self._place(s.array, s.index, s)
                self._wants(value, self.arrays[s.array].dtype)
            case Update(value=value, op=op):
                self._place(s.array, s.index, s)
                _require(op in UPDATES, "no such update", s)
                self._wants(value, self.arrays[s.array].dtype)
            case Alloc(array=name):
                made = name in self.arrays and self.arrays[name].role != "parameter"
                _require(made, "locals and results are made, parameters are there", s)
                self.alive.add(name)
                self._all(self.arrays[name].shape)
            case If(test=test, then=then, orelse=orelse):
                self._wants(test, BOOL)
                self.block(then)
                self.block(orelse)
            case While(test=test, body=body):
                self._wants(test, BOOL)
                self.block(body)
            case Loop():
                self._loop(s)

    def _loop(self, s: Loop) -> None:
        axis = s.axis
        _require(axis.name not in self.axes, "an axis' name stands once in a nest", axis.name)
        _require(axis.step != 0, "a step is not 0", axis)
        self._wants(axis.start, I64)
        self._wants(axis.stop, I64)
        self.axes.add(axis.name)
        self.scope.append(axis.name)
        self.block(s.body)
        self.scope.pop()

    def _place(self, array: str, index: tuple[Expr, ...], where: object) -> None:
        _require(array in self.arrays, "no such array", where)
        _require(array in self.alive, "a local is made before it is used", where)
        _require(len(index) == len(self.arrays[array].shape), "an index for each extent", where)
        for i in index:
            self._wants(i, I64)

    # --- expressions -----------------------------------------------------------------------------

    def _all(self, es: Iterable[Expr]) -> None:
        for e in es:
            self.expr(e)

    def _wants(self, e: Expr, t: DType) -> None:
        self.expr(e)
        _require(e.dtype is t, f"{t} is wanted, not {e.dtype}", e)

    def expr(self, e: Expr) -> None:
        """Checks an expression and all below it."""
        if not isinstance(e, Load):
            self._all(parts(e))
        match e:
            case Const():
                self._constant(e)
            case AxisRef(axis=name):
                _require(name in self.scope, "an axis is used in its loop only", e)
            case Dim(name=name):
                _require(name in self.nest.dims, "no such extent", e)
            case Scalar():
                _require(e in self.nest.scalars, "no such scalar", e)
            case Var(name=name, dtype=t):
                _require(self.variables.get(name) is t, "a variable has its one dtype", e)
            case Load(array=array, index=index, dtype=t):
                self._place(array, index, e)
                _require(self.arrays[array].dtype is t, "a load has its array's dtype", e)
            case Binary() | Compare() | Logic() | Unary():
                self._operator(e)
            case Select(test=test, then=a, orelse=b):
                _require(test.dtype is BOOL and a.dtype is b.dtype, "a choice between equal dtypes", e)
            case Call():
                self._call(e)
            case Cast():
                pass

    def _constant(self, e: Const) -> None:
        kind = bool if e.dtype is BOOL else float if e.dtype.is_float else int
        fits = type(e.value) is kind or (kind is float and type(e.value) is int)
        _require(fits, "a literal is of its dtype's kind", e)

    def _operator(self, e: Binary | Compare | Logic | Unary) -> None:
        match e:
            case Unary(op=op, value=x):
                _require(op in ("-", "~", "not", "abs"), "no such operation", e)
                _require((op == "not") == (x.dtype is BOOL) or op == "~", "not is of bool, the rest of numbers", e)
                _require(op != "~" or not x.dtype.is_float, "~ is not of floats", e)
            case Logic(op=op, left=a, right=b):
                _require(op in ("and", "or"), "no such operation", e)
                _require(a.dtype is BOOL and b.dtype is BOOL, "and, or are of bools", e)
            case Compare(op=op, left=a, right=b):
                _require(op in COMPARISONS, "no such comparison", e)
                _require(a.dtype is b.dtype, "both sides have one dtype", e)
            case Binary(op=op, left=a, right=b):
                _require(op in (*BINARY, *EXTREMES), "no such operation", e)
                _require(a.dtype is b.dtype, "both sides have one dtype", e)
                _require(op not in FLOAT_ONLY or a.dtype.is_float, "/ is of floats", e)
                _require(op not in WHOLE_ONLY or a.dtype.is_int, "shifts are of integers", e)
                _require(op not in BITWISE or not a.dtype.is_float, "& | ^ are not of floats", e)

    def _call(self, e: Call) -> None:
        _require(FUNCTIONS.get(e.name) == len(e.args), "a function of FUNCTIONS, its arguments all there", e)
        t = e.args[0].dtype
        _require(t.is_float and all(a.dtype is t for a in e.args), "arguments are floats of one dtype", e)
        _require(e.dtype is (BOOL if e.name in TESTS_OF_FLOATS else t), "a function has its arguments' dtype", e)
