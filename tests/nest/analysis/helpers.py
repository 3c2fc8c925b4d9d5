"""A tiny language of nests for tests: loops as a list of lines, expressions as Python text.

    nest = make('''
        array a[n, m]: f32
        for i in range(n):
            for j in range(1, m):
                a[i, j] = a[i, j - 1]
    ''')

Declarations come first: `array NAME[extents]: dtype` (with `local` before it for a local), `scalar s: i64`,
`var v: f32`, `distinct idx`, `offsets start`, `check expr`. Names that are nothing else are dims. `a[i] += e` is an
Update, and so is `update("max", a[i], e)`. `alloc(a)` is an Alloc.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field
from typing import Any

from tl2hip.dtypes import BOOL, F32, I64, TABLE, DType
from tl2hip.nest.ir import (
    Alloc,
    Array,
    Axis,
    AxisRef,
    Binary,
    Call,
    Cast,
    Check,
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
    Variable,
    While,
)
from tl2hip.source.span import Source, Span

OPS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
}


@dataclass
class Maker:
    """What has been declared so far."""

    arrays: dict[str, Array] = field(default_factory=dict)
    scalars: dict[str, Scalar] = field(default_factory=dict)
    variables: dict[str, DType] = field(default_factory=dict)
    distinct: list[str] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    dims: list[str] = field(default_factory=list)
    axes: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def expr(self, e: ast.expr, want: DType = I64) -> Expr:
        match e:
            case ast.Constant(value=bool() as v):
                return Const(v, BOOL)
            case ast.Constant(value=v):
                return Const(v, want if want is not BOOL else I64)
            case ast.Name(id=name):
                return self.name(name, want)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.fit(Load(name, self.index(index), self.arrays[name].dtype), want)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=v)):
                return Const(-v, want)
            case ast.UnaryOp(op=op, operand=x):
                return Unary("not" if isinstance(op, ast.Not) else "-", self.expr(x, want))
            case ast.BinOp(op=op, left=a, right=b):
                return Binary(OPS[type(op)], self.expr(a, want), self.expr(b, want))
            case ast.Compare(left=a, ops=ops, comparators=bs):
                return self.compare(a, ops, bs)
            case ast.BoolOp(op=op, values=values):
                word = "and" if isinstance(op, ast.And) else "or"
                out = self.expr(values[0], BOOL)
                for v in values[1:]:
                    out = Logic(word, out, self.expr(v, BOOL))
                return out
            case ast.IfExp(test=t, body=a, orelse=b):
                return Select(self.expr(t, BOOL), self.expr(a, want), self.expr(b, want))
            case ast.Call(func=ast.Name(id=f), args=args):
                return self.call(f, args, want)
        raise NotImplementedError(ast.dump(e))

    def compare(self, a: ast.expr, ops: list[ast.cmpop], bs: list[ast.expr]) -> Expr:
        out: Expr | None = None
        for op, b in zip(ops, bs, strict=True):
            t = self.guess(a) or self.guess(b) or I64
            one = Compare(OPS[type(op)], self.expr(a, t), self.expr(b, t))
            out = one if out is None else Logic("and", out, one)
            a = b
        assert out is not None
        return out

    def guess(self, e: ast.expr) -> DType | None:
        """The dtype of the first array element or variable in an expression, if any."""
        match e:
            case ast.Subscript(value=ast.Name(id=name)):
                return self.arrays[name].dtype
            case ast.Name(id=name) if name in self.variables:
                return self.variables[name]
            case ast.BinOp(left=a, right=b):
                return self.guess(a) or self.guess(b)
            case ast.Call(func=ast.Name(id=f)) if f in TABLE:
                return TABLE[f]
        return None

    def call(self, f: str, args: list[ast.expr], want: DType) -> Expr:
        if f in ("min", "max", "minimum", "maximum", "fmin", "fmax"):
            a, b = args
            return Binary(f, self.expr(a, want), self.expr(b, want))
        if f in TABLE:
            inner = self.guess(args[0]) or I64
            return Cast(self.expr(args[0], inner), TABLE[f], explicit=True)
        if f == "abs":
            return Unary("abs", self.expr(args[0], want))
        return Call(f, tuple(self.expr(a, want) for a in args), want)

    def name(self, name: str, want: DType) -> Expr:
        if name in self.axes:
            return self.fit(AxisRef(self.axes[name]), want)
        if name in self.variables:
            return self.fit(Var(name, self.variables[name]), want)
        if name in self.scalars:
            return self.fit(self.scalars[name], want)
        if name not in self.dims:
            self.dims.append(name)
        return self.fit(Dim(name), want)

    def fit(self, e: Expr, want: DType) -> Expr:
        return e if e.dtype is want or want is BOOL else Cast(e, want)

    def index(self, e: ast.expr) -> tuple[Expr, ...]:
        return tuple(self.expr(x) for x in e.elts) if isinstance(e, ast.Tuple) else (self.expr(e),)

    def block(self, body: list[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(s for b in body for s in self.stmt(b))

    def stmt(self, s: ast.stmt) -> list[Stmt]:
        at = Span(s.lineno, s.col_offset, s.end_lineno or 0, s.end_col_offset or 0)
        match s:
            case ast.Pass():
                return []
            case ast.For(target=ast.Name(id=user), iter=ast.Call(args=args), body=body):
                return [self.loop(user, args, body, at)]
            case ast.While(test=t, body=body):
                return [While(self.expr(t, BOOL), self.block(body), at)]
            case ast.If(test=t, body=body, orelse=orelse):
                return [If(self.expr(t, BOOL), self.block(body), self.block(orelse), at)]
            case ast.Assign(targets=[ast.Name(id=v)], value=e):
                t = self.variables[v]
                return [Set(v, self.expr(e, t), at)]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a), slice=i)], value=e):
                return [Store(a, self.index(i), self.expr(e, self.arrays[a].dtype), at=at)]
            case ast.AugAssign(target=ast.Name(id=v), op=op, value=e):
                t = self.variables[v]
                return [Set(v, Binary(OPS[type(op)], Var(v, t), self.expr(e, t)), at)]
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a), slice=i), op=op, value=e):
                word: Any = OPS[type(op)]
                return [Update(a, self.index(i), word, self.expr(e, self.arrays[a].dtype), at=at)]
            case ast.Expr(value=ast.Call(func=ast.Name(id="alloc"), args=[ast.Name(id=a)])):
                return [Alloc(a, at)]
            case ast.Expr(value=ast.Call(func=ast.Name(id="update"), args=args)):
                op, target, value = args
                assert isinstance(op, ast.Constant) and isinstance(target, ast.Subscript)
                assert isinstance(target.value, ast.Name)
                a, name = target.value.id, str(op.value)
                word = name
                into = self.arrays[a].dtype
                return [Update(a, self.index(target.slice), word, self.expr(value, into), at=at)]
        raise NotImplementedError(ast.dump(s))

    def loop(self, user: str, args: list[ast.expr], body: list[ast.stmt], at: Span) -> Stmt:
        bounds = [self.expr(a) for a in args]
        start, stop = (Const(0, I64), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = 1
        if len(bounds) == 3:
            last = bounds[2]
            assert isinstance(last, Const)
            step = int(last.value)
        name = user
        while name in self.used:
            name += "_"
        self.used.add(name)
        before = self.axes.get(user)
        self.axes[user] = name
        inside = self.block(body)
        del self.axes[user]
        if before is not None:
            self.axes[user] = before
        return Loop(Axis(name, start, stop, step, user=user), inside, at)


def make(text: str) -> Nest:
    """The nest that a text describes."""
    maker = Maker()
    lines = textwrap.dedent(text).strip("\n").splitlines()
    rest: list[str] = []
    for line in lines:
        rest.append("" if _declare(maker, line.strip()) else line)
    body = maker.block(ast.parse("\n".join(rest)).body)
    return Nest(
        name="test",
        source=Source("test.py", "\n".join(lines)),
        order=tuple(n for n, a in maker.arrays.items() if a.role == "parameter") + tuple(maker.scalars),
        dims=tuple(maker.dims),
        scalars=tuple(maker.scalars.values()),
        arrays=tuple(maker.arrays.values()),
        variables=tuple(Variable(n, t) for n, t in maker.variables.items()),
        body=body,
        checks=tuple(maker.checks),
        distinct=tuple(maker.distinct),
        offsets=tuple(maker.offsets),
    )


def _declare(maker: Maker, line: str) -> bool:
    """Takes in one line of declaration; whether it was one."""
    found = re.match(r"(local )?array (\w+)\[(.*)\](?:: (\w+))?$", line)
    if found:
        local, name, extents, dtype = found.groups()
        shape = tuple(maker.expr(e) for e in _items(extents))
        t = TABLE[dtype] if dtype else F32
        maker.arrays[name] = Array(name, t, shape, "local" if local else "parameter")
        return True
    word, _, what = line.partition(" ")
    if word in ("scalar", "var"):
        for one in what.split(","):
            name, _, dtype = one.partition(":")
            t = TABLE[dtype.strip()]
            if word == "scalar":
                maker.scalars[name.strip()] = Scalar(name.strip(), t)
            else:
                maker.variables[name.strip()] = t
        return True
    if word in ("distinct", "offsets"):
        getattr(maker, word).extend(what.replace(",", " ").split())
        return True
    if word == "check":
        maker.checks.append(Check(maker.expr(ast.parse(what, mode="eval").body, BOOL), what))
        return True
    return False


def _items(text: str) -> list[ast.expr]:
    parsed = ast.parse(f"({text},)", mode="eval").body
    assert isinstance(parsed, ast.Tuple)
    return list(parsed.elts)
