"""Faults in reading, in building nests and in what is told of their loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from tests.fuzz.faults.table import Patch, everywhere, fault, instead
from tl2hip.dtypes import F64
from tl2hip.nest import index
from tl2hip.nest.analysis import in_place, kinds, variables
from tl2hip.nest.build import expressions, fold, reductions, slices, types
from tl2hip.nest.build import loops as build_loops
from tl2hip.nest.index import add, floor_div, number
from tl2hip.source import lower_expressions, lower_statements
from tl2hip.source.lower_expressions import Expressions
from tl2hip.source.lower_statements import Statements

# --- reading ---------------------------------------------------------------------------------------------


@fault("-= adds", "element -=", "name -=")
def _subtracts(patch: Patch) -> None:
    patch.setitem(lower_statements.AUGMENTED, cst.SubtractAssign, "+")


@fault("<= is read as <", "comparison", "guard")
def _less(patch: Patch) -> None:
    patch.setitem(lower_expressions.COMPARE, cst.LessThanEqual, "<")


@fault("the operands of - change sides", "operator -")
def _sides(patch: Patch) -> None:
    def wrong(self: Any, node: Any) -> Any:
        found: Any = Expressions.binary(self, node)
        return replace(found, left=found.right, right=found.left) if found.op == "-" else found

    patch.setitem(lower_expressions._EXPRESSIONS, cst.BinaryOperation, wrong)


@fault("and is or", "and")
def _logic(patch: Patch) -> None:
    def wrong(self: Any, node: Any) -> Any:
        return replace(Expressions.logic(self, node), op="or")  # type: ignore[arg-type]

    patch.setitem(lower_expressions._EXPRESSIONS, cst.BooleanOperation, wrong)


@fault("the two values of a conditional expression change places", "conditional expression")
def _conditional(patch: Patch) -> None:
    def wrong(self: Any, node: Any) -> Any:
        found: Any = Expressions.conditional(self, node)
        return replace(found, then=found.orelse, orelse=found.then)

    patch.setitem(lower_expressions._EXPRESSIONS, cst.IfExp, wrong)


@fault("an else is dropped", "if and else")
def _else(patch: Patch) -> None:
    def wrong(self: Any, node: Any) -> Any:
        return replace(Statements.branch(self, node), orelse=())  # type: ignore[arg-type]

    patch.setitem(lower_statements._STATEMENTS, cst.If, wrong)


# --- building --------------------------------------------------------------------------------------------


@fault("a weak float makes an f32 an f64", "weak operand")
def _weak(patch: Patch) -> None:
    right = types._weak_with_strong
    patch.setattr(types, "_weak_with_strong", lambda w, s: F64 if w.level == 2 else right(w, s))


@fault("two dtypes give the left one", "operands of two dtypes")
def _left(patch: Patch) -> None:
    patch.setattr(types, "promote", lambda a, b: a)


def _axes(patch: Patch, change: Any) -> None:
    right = build_loops._marked_axis
    patch.setattr(build_loops, "_marked_axis", lambda *arguments: change(right(*arguments)))


@fault("a loop stops one early", "negative step", "strided bounds")
def _stops_early(patch: Patch) -> None:
    _axes(patch, lambda a: replace(a, stop=add(a.stop, number(1))) if a.step < 0 else a)


@fault("a step loses its sign", "negative step")
def _sign(patch: Patch) -> None:
    _axes(patch, lambda a: replace(a, step=abs(a.step)))


@fault("a loop starts at 0", "bounds with a margin", "triangular bounds")
def _start(patch: Patch) -> None:
    _axes(patch, lambda a: replace(a, start=number(0)) if a.step > 0 else a)


@fault("a chained comparison keeps its first link", "chained comparison")
def _chain(patch: Patch) -> None:
    right = expressions._compare
    everywhere(patch, right, lambda ctx, e: right(ctx, replace(e, ops=e.ops[:1], rest=e.rest[:1])))


@fault("the greatest of a row is at least 0", "row .max()", "np: axis0")
def _greatest(patch: Patch) -> None:
    instead(patch, reductions._lowest, lambda dtype: ir.Const(0.0 if dtype.is_float else 0, dtype))  # noqa: F821


@fault("a slice forgets its start", "slices: shift", "slices: two", "slices: step")
def _slice(patch: Patch) -> None:
    right = slices.span
    everywhere(patch, right, lambda ctx, low, *rest: (fold.number(0), right(ctx, low, *rest)[1]))


@fault("a bound of a slice is not counted from the end", "slices: shift", "slices: two", "slice form")
def _from_the_end(patch: Patch) -> None:
    patch.setattr(slices, "_clamped", lambda ctx, e, extent, low=None, high=None: e)


# --- sizes, and what is told of loops --------------------------------------------------------------------


@fault("ceil_div rounds down", "2 axes")
def _ceil(patch: Patch) -> None:
    everywhere(patch, index.ceil_div, floor_div)


@fault(
    "a carried axis is said to be parallel", "host loop", "scan", "serial axis around parallel ones", detect=True
)
def _carried(patch: Patch) -> None:
    right = kinds.analyse

    def wrong(nest: Any) -> Any:
        found = right(nest)
        parallel = {
            a: replace(k, kind="parallel", carried=(), live_out=()) if k.kind == "serial" else k
            for a, k in found.kinds.items()
        }
        return replace(found, kinds=parallel)

    everywhere(patch, right, wrong)


@fault("a distance between iterations is not seen", "carried element", "in place", "host loop", detect=True)
def _distance(patch: Patch) -> None:
    patch.setattr(kinds, "_first_conflict", lambda accesses, pairs: None)


@fault("a value used in its loop may be summed in any order", "scan")
def _running(patch: Patch) -> None:
    everywhere(patch, variables.reduction, _any_order(variables.reduction))


def _any_order(right: Any) -> Any:
    def wrong(body: Any, name: str) -> Any:
        found = right(body, name)
        if found is None and variables.why_ordered(body, name) == "running":
            return variables.Reduction("+", (name,), body[0].at)
        return found

    return wrong


@fault("any two arrays may be one", "reversed index", "neighbour index", "reads what an earlier nest wrote")
def _one_memory(patch: Patch) -> None:
    everywhere(patch, in_place.in_place_ok, lambda nest, written, other, analysis=None: True)
