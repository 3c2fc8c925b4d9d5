"""np.einsum: sums of products, as loops over its letters."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import BF16, BOOL, F16, DType
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.broadcast import Shape, equal, shapes_differ
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.expand import computed
from tl2hip.nest.build.operands import array, value
from tl2hip.nest.build.reductions import accumulate
from tl2hip.nest.build.types import FP8, common
from tl2hip.nest.build.values import ArrayValue, ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Formula:
    """The letters of each operand's axes, and those of the result's."""

    operands: tuple[str, ...]
    result: str

    @property
    def summed(self) -> str:
        """The letters that the result does not have, in order of first appearance."""
        return "".join(c for c in dict.fromkeys("".join(self.operands)) if c not in self.result)


def einsum(ctx: Context, e: nodes.Call) -> Value:
    """`np.einsum("ij,jk->ik", A, B)`: summed in the dtype of the operands."""
    if e.keywords:
        k = e.keywords[0]
        raise Refused(problems.WrongArguments("np.einsum", f"has no conversion for {k.name}= here", at=k.at))
    formula = _formula(e)
    values = tuple(array(value(ctx, a), "`np.einsum`", a.at) for a in e.args[1:])
    extents = _extents(ctx, formula, values, e)
    dtype = _dtype(values, e.at)

    def term(at: dict[str, ir.Expr]) -> ir.Expr:
        whole: ir.Expr | None = None
        for letters, v in zip(formula.operands, values, strict=True):
            factor = fold.cast(v.element(tuple(at[c] for c in letters)), dtype)
            whole = factor if whole is None else fold.binary("*", whole, factor)
        assert whole is not None
        return whole

    shape = tuple(extents[c] for c in formula.result)
    if not formula.summed:
        reads = frozenset(name for v in values for name in v.reads)
        rearranged = len(values) == 1  # then NumPy gives a view

        def element(index: Shape) -> ir.Expr:
            return term(dict(zip(formula.result, index, strict=True)))

        return ArrayValue(shape, dtype, element, reads, shares=rearranged) if shape else ScalarValue(element(()))
    inner = tuple(extents[c] for c in formula.summed)

    def one(outer: Shape) -> ir.Expr:
        at = dict(zip(formula.result, outer, strict=True))
        return accumulate(
            ctx, "sum", dtype, inner, e.at, lambda ix: term(at | dict(zip(formula.summed, ix, strict=True)))
        )

    if not shape:
        return ScalarValue(one(()))
    return computed(ctx, "product", shape, dtype, one)


def _formula(e: nodes.Call) -> Formula:
    first = e.args[0] if e.args else None
    if not isinstance(first, nodes.Text):
        way = 'give the formula as a text, as in `np.einsum("ij,jk->ik", A, B)`'
        raise Refused(problems.WrongArguments("np.einsum", "needs its formula first", way, at=e.at))
    text = first.value.replace(" ", "")
    if "..." in text:
        way = "write the axes out, a letter for each"
        raise Refused(problems.WrongArguments("np.einsum", "has no conversion for `...`", way, at=first.at))
    left, arrow, right = text.partition("->")
    operands = tuple(left.split(","))
    letters = "".join(operands)
    if not arrow:
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    known = (letters + right).isascii() and (letters + right).isalpha() and set(right) <= set(letters)
    if not known or len(set(right)) < len(right):
        way = "letters for axes, a comma between operands, each letter of the result once and in an operand"
        raise Refused(problems.WrongArguments("np.einsum", f"cannot read `{first.value}`", way, at=first.at))
    if len(operands) != len(e.args) - 1:
        reason = f"has {len(operands)} operands in `{first.value}` and {len(e.args) - 1} arrays"
        raise Refused(problems.WrongArguments("np.einsum", reason, "name each array's axes", at=e.at))
    return Formula(operands, right)


def _extents(ctx: Context, formula: Formula, values: tuple[ArrayValue, ...], e: nodes.Call) -> dict[str, ir.Expr]:
    """The extent of each letter, the same wherever it stands."""
    extents: dict[str, ir.Expr] = {}
    shapes: dict[str, Shape] = {}
    for letters, v, a in zip(formula.operands, values, e.args[1:], strict=True):
        if len(letters) != len(v.shape):
            reason = f"has {len(letters)} letters, `{letters}`, for an array of {len(v.shape)} axes"
            raise Refused(problems.WrongArguments("np.einsum", reason, "name each of its axes", at=a.at))
        for c, extent in zip(letters, v.shape, strict=True):
            known = extents.setdefault(c, extent)
            first = shapes.setdefault(c, v.shape)
            if not equal(ctx, known, extent):
                raise Refused(shapes_differ(ctx, first, v.shape, e.at))
    return extents


def _dtype(values: tuple[ArrayValue, ...], at: Span) -> DType:
    whole = ScalarValue(ir.Const(0, values[0].dtype), values[0].weak)
    for v in values[1:]:
        found = common("np.einsum", whole, v, at)
        whole = ScalarValue(ir.Const(0, found.dtype), found.weak)
    if whole.dtype is BOOL:
        raise Refused(problems.NotDefinedFor("np.einsum", "bool", "cast to an integer dtype first", at=at))
    if whole.dtype in (F16, BF16, *FP8):
        way = "NumPy rounds each step of it, or knows none: cast to f32 first, as in `A.astype(np.float32)`"
        raise Refused(problems.NotDefinedFor("np.einsum", whole.dtype.name, way, at=at))
    return whole.dtype
