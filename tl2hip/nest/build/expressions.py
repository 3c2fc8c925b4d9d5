"""Source expressions to typed values."""

from __future__ import annotations

from functools import partial

from tl2hip.dtypes import BOOL, F64, I64
from tl2hip.nest import ir
from tl2hip.nest.build import calls, fold, lazy, operators, whole
from tl2hip.nest.build.attributes import attribute
from tl2hip.nest.build.broadcast import operand, scalar
from tl2hip.nest.build.context import Bound, Context, Listed, Result, Told
from tl2hip.nest.build.names import file_value
from tl2hip.nest.build.operands import number, value
from tl2hip.nest.build.products import matmul
from tl2hip.nest.build.slices import subscript
from tl2hip.nest.build.tables import chosen
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


def evaluate(ctx: Context, e: nodes.Expr) -> Result:
    """The typed value of an expression, or the tuple of values it is."""
    match e:
        case nodes.Name():
            return _name(ctx, e)
        case nodes.Number() | nodes.Bool():
            return literal(e)
        case nodes.Attribute():
            return attribute(ctx, e)
        case nodes.Subscript(value=base, index=index):
            return _subscript(ctx, evaluate(ctx, base), index, e.at)
        case nodes.Call():
            return calls.call(ctx, e)
        case nodes.Unary():
            return _unary(ctx, e)
        case nodes.Binary(op=op, left=left, right=right):
            a, b = value(ctx, left), value(ctx, right)
            if op == "@":
                return matmul(ctx, a, b, e.at)
            return operators.apply(ctx, op, a, b, e.at)
        case nodes.Compare():
            return _compare(ctx, e)
        case nodes.Logic():
            return _logic(ctx, e)
        case nodes.IfExp(test=t, then=then, orelse=orelse):
            one, other = (partial(number, ctx, side, "a conditional expression") for side in (then, orelse))
            return lazy.choice(ctx, test(ctx, t), one, other, e.at)
        case nodes.Tuple_(items=items):
            return tuple(evaluate(ctx, item) for item in items)
        case nodes.List_(items=items):
            return Listed(evaluate(ctx, item) for item in items)
        case _:
            raise Refused(_unsupported(e))


def _unsupported(e: nodes.Expr) -> problems.NotSupported:
    what = {
        nodes.Text: "a string here",
        nodes.Nothing: "`None` here",
        nodes.Ellipsis_: "`...` here",
        nodes.Slice: "a slice here",
        nodes.Generator: "a generator outside sum, any and all",
    }
    return problems.NotSupported(
        what.get(type(e), "this expression"), "write it as arithmetic on elements", at=e.at
    )


def literal(e: nodes.Number | nodes.Bool) -> ScalarValue:
    """A Python number: weak, and an int has to fit into i64."""
    if isinstance(e, nodes.Bool):
        return ScalarValue(ir.Const(e.value, BOOL), weak=True)
    if isinstance(e.value, float):
        return ScalarValue(ir.Const(e.value, F64), weak=True)
    return whole.held(e.value, e.at)


def _name(ctx: Context, e: nodes.Name) -> Result:
    binding = ctx.state.names.get(e.id)
    if isinstance(binding, Bound):
        return binding.value
    if binding is not None:
        if binding.problem is None:
            raise Told
        raise Refused(binding.problem(e.at))
    if e.id in ctx.local:
        raise Refused(
            problems.MaybeUndefined(e.id, "nothing is assigned to it before this line", "it is read", at=e.at)
        )
    return file_value(ctx, e)


def _subscript(ctx: Context, base: Result, index: tuple[nodes.Expr, ...], at: Span) -> Result:
    if not isinstance(base, tuple):
        return subscript(ctx, base, index, at)
    if len(index) != 1:
        raise Refused(problems.WrongRank(1, len(index), at=at))
    which = number(ctx, index[0], "an index")
    count = fold.value_of(which.expr)
    if count is None:
        return chosen(ctx, base, which, index[0].at)
    if not -len(base) <= count < len(base):
        way = f"its items are 0 to {len(base) - 1}"
        raise Refused(problems.NotSupported(f"item {count} of {len(base)}", way, at=index[0].at))
    return base[count]


def _unary(ctx: Context, e: nodes.Unary) -> Result:
    if e.op == "not":
        return ScalarValue(fold.negated(test(ctx, e.value)), weak=True)
    if e.op == "-" and isinstance(e.value, nodes.Number) and e.value.value == 2**63:
        return ScalarValue(ir.Const(-(2**63), I64), weak=True)
    return operators.unary(ctx, e.op, value(ctx, e.value), e.at)


def _compare(ctx: Context, e: nodes.Compare) -> Result:
    items = [evaluate(ctx, e.first)]

    def link(op: str, right: nodes.Expr) -> Value:
        items.append(evaluate(ctx, right))
        return _link(ctx, op, items[-2], items[-1], e.at)

    if len(e.ops) == 1:
        return link(e.ops[0], e.rest[0])
    weak: list[bool] = []

    def part(op: str, right: nodes.Expr) -> ir.Expr:
        found = scalar(link(op, right), "a chain of comparisons", e.at)
        weak.append(found.weak)
        return found.expr

    whole = lazy.logic(ctx, "and", [partial(part, *pair) for pair in zip(e.ops, e.rest, strict=True)])
    return ScalarValue(whole, all(weak))


def _link(ctx: Context, op: str, left: Result, right: Result, at: Span) -> Value:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return _tuples(ctx, op, left, right, at)
    if isinstance(left, tuple) or isinstance(right, tuple):
        raise Refused(problems.NotSupported("comparing a tuple with a number", "compare its items", at=at))
    return operators.compare(ctx, op, left, right, at)


def _tuples(ctx: Context, op: str, left: tuple[Result, ...], right: tuple[Result, ...], at: Span) -> Value:
    """Tuples, such as shapes, are equal item by item."""
    if op not in ("==", "!="):
        raise Refused(problems.NotSupported("an order of tuples", "compare the items one by one", at=at))
    equal: ir.Expr = ir.Const(len(left) == len(right), BOOL)
    for a, b in zip(left, right, strict=False):
        link = scalar(_link(ctx, "==", a, b, at), "a comparison of tuples", at)
        equal = fold.logic("and", equal, link.expr)
    return ScalarValue(equal if op == "==" else fold.negated(equal), weak=True)


def _logic(ctx: Context, e: nodes.Logic) -> Result:
    """`and`, `or` as a value: only of bools, where the operand returned is the result of the logic."""
    weak: list[bool] = []

    def item(v: nodes.Expr) -> ir.Expr:
        found = number(ctx, v, f"`{e.op}`")
        if found.dtype is not BOOL:
            raise Refused(problems.NotBoolean(e.op, at=e.at))
        weak.append(found.weak)
        return found.expr

    whole = lazy.logic(ctx, e.op, [partial(item, v) for v in e.values])
    return ScalarValue(whole, all(weak))


def test(ctx: Context, e: nodes.Expr) -> ir.Expr:
    """An expression as a test, a bool: numbers are true where they are not zero."""
    match e:
        case nodes.Logic(op=op, values=values):
            return lazy.logic(ctx, op, [partial(test, ctx, v) for v in values])
        case nodes.Unary(op="not", value=inner):
            return fold.negated(test(ctx, inner))
        case _:
            found = operand(value(ctx, e))
            if isinstance(found, ArrayValue):
                return operators.truth(scalar(found, "a test", e.at))
            return operators.truth(found)
