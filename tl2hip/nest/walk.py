"""Walking and rewriting nests: children, all nodes below, and maps that rebuild only what changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tl2hip.nest.ir import (
    Alloc,
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


def parts(e: Expr) -> tuple[Expr, ...]:
    """The direct operands of an expression, left to right."""
    match e:
        case Const() | AxisRef() | Dim() | Scalar() | Var():
            return ()
        case Load(index=index):
            return index
        case Unary(value=value) | Cast(value=value):
            return (value,)
        case Binary(left=a, right=b) | Compare(left=a, right=b) | Logic(left=a, right=b):
            return (a, b)
        case Select(test=t, then=a, orelse=b):
            return (t, a, b)
        case Call(args=args):
            return args


def rebuild(e: Expr, new: tuple[Expr, ...]) -> Expr:
    """The same operation over other operands, given in the order of `parts`."""
    match e:
        case Const() | AxisRef() | Dim() | Scalar() | Var():
            return e
        case Load():
            return replace(e, index=new)
        case Unary() | Cast():
            return replace(e, value=new[0])
        case Binary() | Compare() | Logic():
            return replace(e, left=new[0], right=new[1])
        case Select():
            return Select(*new)
        case Call():
            return replace(e, args=new)


def all_parts(e: Expr) -> list[Expr]:
    """The expression and everything below it, outside in and left to right."""
    found = [e]
    for p in parts(e):
        found += all_parts(p)
    return found


def map_expr(f: Callable[[Expr], Expr], e: Expr) -> Expr:
    """The expression with `f` applied to every node, inside out."""
    old = parts(e)
    if not old:
        return f(e)
    new = tuple(map_expr(f, p) for p in old)
    return f(e if all(a is b for a, b in zip(old, new, strict=True)) else rebuild(e, new))


def own_exprs(s: Stmt) -> tuple[Expr, ...]:
    """The expressions a statement itself evaluates, not those of statements inside it."""
    match s:
        case Loop(axis=axis):
            return (axis.start, axis.stop)
        case While(test=test) | If(test=test):
            return (test,)
        case Set(value=value):
            return (value,)
        case Store(index=index, value=value) | Update(index=index, value=value):
            return (*index, value)
        case Alloc():
            return ()


def blocks(s: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The bodies directly inside a statement."""
    match s:
        case Loop(body=body) | While(body=body):
            return (body,)
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case Set() | Store() | Update() | Alloc():
            return ()


def with_blocks(s: Stmt, new: tuple[tuple[Stmt, ...], ...]) -> Stmt:
    """The same statement around other bodies, given in the order of `blocks`."""
    match s:
        case Loop() | While():
            return replace(s, body=new[0])
        case If():
            return replace(s, then=new[0], orelse=new[1])
        case Set() | Store() | Update() | Alloc():
            return s


def map_stmts(f: Callable[[Stmt], Stmt | None], body: Iterable[Stmt]) -> tuple[Stmt, ...]:
    """A body with `f` applied to every statement, inside out; where it gives None the statement goes."""
    new = (f(with_blocks(s, tuple(map_stmts(f, b) for b in blocks(s)))) for s in body)
    return tuple(s for s in new if s is not None)


def all_stmts(body: Iterable[Stmt]) -> list[Stmt]:
    """Every statement of a body and of the bodies inside, in the order of the text."""
    found: list[Stmt] = []
    for s in body:
        found.append(s)
        for inner in blocks(s):
            found += all_stmts(inner)
    return found


def all_exprs(body: Iterable[Stmt]) -> list[Expr]:
    """Every expression node evaluated anywhere in a body."""
    return [p for s in all_stmts(body) for e in own_exprs(s) for p in all_parts(e)]


def map_stmt_exprs(f: Callable[[Expr], Expr], s: Stmt) -> Stmt:
    """The statement with `f` applied to each whole expression it evaluates, bodies included."""
    match s:
        case Loop(axis=axis, body=body):
            axis = replace(axis, start=f(axis.start), stop=f(axis.stop))
            return replace(s, axis=axis, body=tuple(map_stmt_exprs(f, x) for x in body))
        case While(test=test, body=body):
            return replace(s, test=f(test), body=tuple(map_stmt_exprs(f, x) for x in body))
        case If(test=test, then=then, orelse=orelse):
            return replace(
                s,
                test=f(test),
                then=tuple(map_stmt_exprs(f, x) for x in then),
                orelse=tuple(map_stmt_exprs(f, x) for x in orelse),
            )
        case Set(value=value):
            return replace(s, value=f(value))
        case Store(index=index, value=value):
            return replace(s, index=tuple(f(i) for i in index), value=f(value))
        case Update(index=index, value=value):
            return replace(s, index=tuple(f(i) for i in index), value=f(value))
        case Alloc():
            return s


def map_exprs(f: Callable[[Expr], Expr], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A body with `f` applied to every expression node, inside out."""
    return tuple(map_stmt_exprs(lambda e: map_expr(f, e), s) for s in body)


MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
"""What a comparison is with its sides exchanged."""


def conjuncts(test: Expr) -> tuple[Expr, ...]:
    """The conditions that must all hold for a test to hold, left to right: its own `and`s taken apart."""
    if isinstance(test, Logic) and test.op == "and":
        return conjuncts(test.left) + conjuncts(test.right)
    return (test,)


def substitute(e: Expr, values: dict[Expr, Expr]) -> Expr:
    """The expression with whole nodes replaced by others (an AxisRef, a Dim, a Var by what it stands for)."""
    return map_expr(lambda x: values.get(x, x), e)
