"""Statements, one by one: what cannot be built is told at its place, and the rest is still looked at."""

from __future__ import annotations

from tl2hip.dtypes import BOOL
from tl2hip.nest.build import loops
from tl2hip.nest.build.assign import assign, augmented, poison, put
from tl2hip.nest.build.branches import branch
from tl2hip.nest.build.checks import assertion
from tl2hip.nest.build.context import Context, Result, Told
from tl2hip.nest.build.jumps import without_continue
from tl2hip.nest.build.marks import annotate, is_tile
from tl2hip.nest.build.merge import assigned
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.types import described
from tl2hip.nest.build.updates import evaluate_statement
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused


def body(ctx: Context, statements: tuple[nodes.Stmt, ...]) -> None:
    """Builds statements in order; a refused one leaves its names unreadable, without telling them again."""
    for s in statements:
        one(ctx, s)


def one(ctx: Context, s: nodes.Stmt) -> None:
    outer, ctx.at = ctx.at, s.at
    before = len(ctx.out)
    try:
        _statement(ctx, s)
    except (Refused, Told, RecursionError) as stop:
        if isinstance(stop, Refused):
            ctx.tell(stop.problem)
        elif isinstance(stop, RecursionError):
            way = "name the parts of the long expression, or use a loop"
            ctx.tell(problems.NotSupported("an expression nested this deeply", way, at=s.at))
        ctx.state.dropped += 1
        del ctx.out[before:]
        ctx.naming = ""
        poison(ctx, tuple(nodes.Name(n) for n in assigned((s,))))
    finally:
        ctx.at = outer


def _statement(ctx: Context, s: nodes.Stmt) -> None:
    match s:
        case nodes.Assign():
            assign(ctx, s)
        case nodes.AugAssign():
            augmented(ctx, s)
        case nodes.AnnAssign():
            _annotated(ctx, s)
        case nodes.For():
            loops.for_loop(ctx, s, _loop_body)
        case nodes.While():
            loops.while_loop(ctx, s, _loop_body)
        case nodes.If():
            branch(ctx, s, body)
        case nodes.Assert():
            assertion(ctx, s)
        case nodes.Evaluate():
            evaluate_statement(ctx, s)
        case nodes.Pass():
            return
        case _:
            raise Refused(_refusal(s))


def _loop_body(ctx: Context, statements: tuple[nodes.Stmt, ...]) -> None:
    body(ctx, without_continue(statements))


def _refusal(s: nodes.Stmt) -> problems.BadReturn | problems.NotSupported:
    match s:
        case nodes.Return():
            way = "keep the result in a name and return it on the last line"
            return problems.BadReturn("a `return` stands before the end of the function", way, at=s.at)
        case nodes.With():
            return problems.NotSupported("`with`", "write its body without it", at=s.at)
        case _:
            return problems.NotSupported("this statement", "write it as assignments and loops", at=s.at)


_TYPING = (
    "numpy.ndarray",
    "numpy.typing.NDArray",
    "typing.Any",
    "tl2hip.Tensor",
)


def _annotated(ctx: Context, s: nodes.AnnAssign) -> None:
    """`i: Tile[…]`, or a local with a type that its value has."""
    if is_tile(ctx, s.annotation):
        annotate(ctx, s)
        return
    if not isinstance(s.target, nodes.Name):
        raise Refused(problems.NotSupported("an annotation of anything but a name", "take it out", at=s.at))
    if s.value is None:
        way = "write `i: Tile[int, 128]` for a loop, or give the name a value here"
        raise Refused(problems.NotSupported("an annotation without a value", way, at=s.at))
    found = ctx.evaluate(ctx, s.value)
    _check_hint(ctx, s, found)
    put(ctx, s.target, found, s.at)


def _check_hint(ctx: Context, s: nodes.AnnAssign, found: Result) -> None:
    base = s.annotation.value if isinstance(s.annotation, nodes.Subscript) else s.annotation
    name = means(ctx, base)
    if name in _TYPING:
        return
    assert isinstance(s.target, nodes.Name)
    if isinstance(found, tuple):
        raise Refused(problems.LocalHint(s.target.id, "a tuple", at=s.annotation.at))
    dtype = dtype_named(ctx, base)
    if dtype is None:
        way = "take the annotation out"
        raise Refused(problems.NotSupported("this annotation", way, at=s.annotation.at))
    weak = isinstance(found, ScalarValue) and found.weak
    plain = (name or "").startswith("builtins.")
    fits = dtype is found.dtype or (plain and weak and dtype.is_float and found.dtype is not BOOL)
    if not fits or (plain and not weak and dtype.is_int):
        raise Refused(problems.LocalHint(s.target.id, described(found), at=s.annotation.at))
    if not plain and weak:
        raise Refused(problems.LocalHint(s.target.id, described(found), at=s.annotation.at))
