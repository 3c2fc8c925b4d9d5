"""Faults in planning and in printing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fuzz.faults.table import Patch, everywhere, fault, instead
from tl2hip.dtypes import I64, DType
from tl2hip.hip import access, expressions, facts, frame, helpers, registers, statements, text
from tl2hip.hip import atomics as hip_atomics
from tl2hip.hip.text import infix
from tl2hip.nest.index import add, number
from tl2hip.nest.ir import Const, Update, Var
from tl2hip.plan import block, loops, promote, reduce, threads, vectors
from tl2hip.plan.matmul import loop as matmul_loop
from tl2hip.plan.matmul import side as matmul_side

# --- planning --------------------------------------------------------------------------------------------


@fault("no update is atomic", "scatter", "reduced axis is outermost", detect=True)
def _not_atomic(patch: Patch) -> None:
    right = threads.ThreadCode._one

    def wrong(self: Any, *rest: Any) -> Any:
        return tuple(replace(x, atomic=False) if isinstance(x, Update) else x for x in right(self, *rest))

    patch.setattr(threads.ThreadCode, "_one", wrong)


@fault("a block never waits", "private array", "row slice", "scalar between nests", detect=True)
def _no_barrier(patch: Patch) -> None:
    patch.setattr(block.BlockCode, "_meet", lambda self, reads, writes: ())


@fault("every lane stores what one should", "row slice", "sum into an element", "scalar between nests", detect=True)
def _every_lane(patch: Patch) -> None:
    patch.setattr(block.BlockCode, "_by_one_lane", lambda self, s: (s,))


@fault("a sum starts from one", "reduction by +=")
def _identity(patch: Patch) -> None:
    right = reduce.identity
    everywhere(patch, right, lambda op, t: Const(1.0 if t.is_float else 1, t) if op == "+" else right(op, t))


@fault("the identity of a product is 0", "reduction by *=")
def _no_product(patch: Patch) -> None:
    right = reduce.identity
    everywhere(patch, right, lambda op, t: Const(0.0 if t.is_float else 0, t) if op == "*" else right(op, t))


@fault("what a variable held before a reduction is lost", "reduction by max", "reduction by min", "reduction by *=")
def _forgets(patch: Patch) -> None:
    everywhere(patch, reduce.merge, lambda op, target, partial: partial)


@fault("what a loop holds in a register is not stored", "sum into an element", "element +=", "inner update")
def _held(patch: Patch) -> None:
    right = promote.promoted

    def wrong(*arguments: Any) -> Any:
        found = right(*arguments)
        return replace(found, body=found.body[:-1]) if len(found.body) > 1 else found

    everywhere(patch, right, wrong)


@fault("LDS of a tree is too small", "reduction of everything", "row .sum()", "np: axis0", detect=True)
def _scratch(patch: Patch) -> None:
    right = statements._scratch
    patch.setattr(statements, "_scratch", lambda key, dtype, elements, w: right(key, dtype, 1, w))


@fault("loops over lanes and blocks leave the last element out", "2 axes")
def _tail(patch: Patch) -> None:
    right = loops.spread

    def wrong(axis: Any, *rest: Any) -> Any:
        return right(replace(axis, stop=add(axis.stop, number(-axis.step))), *rest)

    patch.setattr(loops, "spread", wrong)


@fault("the last vector may be a part of one", "1 axes", "whole-array statement", detect=True)
def _part(patch: Patch) -> None:
    right = vectors._whole_vectors
    patch.setattr(vectors, "_whole_vectors", lambda axis, width: add(right(axis, width), number(1)))


@fault("matrix cores leave the last slice out", "matrix product", "@", "np: matmul", "np: dot")
def _last_slice(patch: Patch) -> None:
    patch.setattr(matmul_loop.SumLoop, "_last", lambda self: ())


@fault("every turn of a product fetches the first tile again", "matrix product", "@", "np: matmul", "np: dot")
def _first_tile(patch: Patch) -> None:
    patch.setattr(matmul_side.Side, "_step", lambda self: number(0))


# --- printing --------------------------------------------------------------------------------------------


@fault("a - (b - c) loses its parentheses", "nested difference")
def _parentheses(patch: Patch) -> None:
    right = text.infix

    def wrong(op: str, a: text.Text, b: text.Text) -> text.Text:
        return right(op, a, b._replace(strength=text.MUL) if op == "-" and b.strength == text.ADD else b)

    patch.setattr(expressions, "infix", wrong)


@fault("floor division is C's", "operator // of ints")
def _floor(patch: Patch) -> None:
    patch.setitem(expressions._BINARY, "//", _c_division("//"))


@fault("modulo is C's", "operator % of ints")
def _modulo(patch: Patch) -> None:
    patch.setitem(expressions._BINARY, "%", _c_division("%"))


def _c_division(op: str) -> Callable[..., text.Text]:
    def wrong(_: str, a: Any, b: Any, ctx: Any) -> text.Text:
        dtype: DType = a.dtype
        if dtype.is_float or dtype is I64 or not isinstance(b, Const):
            return expressions._floor(op, a, b, ctx)
        return expressions._back(infix(op[0], *expressions._operands(a, b, ctx)), dtype, ctx)

    return wrong


@fault("a shift is C's", "shift past the width")
def _shift(patch: Patch) -> None:
    for op in ("<<", ">>"):
        patch.setitem(
            expressions._BINARY,
            op,
            lambda op, a, b, ctx: expressions._back(infix(op, *expressions._operands(a, b, ctx)), a.dtype, ctx),
        )


@fault("an index below 0 does not wrap", "index that wraps below 0", "negative constant index")
def _wrap(patch: Patch) -> None:
    wrong = helpers.WRAPPED.text.replace("i < 0 ? i + n : i", "i")
    patch.setattr(helpers, "WRAPPED", replace(helpers.WRAPPED, text=wrong))


@fault("a place is tested against nothing", "gather", "index that wraps below 0", "neighbour index", detect=True)
def _guard(patch: Patch) -> None:
    everywhere(patch, access.guarded_offset, access.offset)


@fault("rows are as long as columns", "2 axes")
def _pitch(patch: Patch) -> None:
    right = access.offset

    def wrong(array: str, index: Any, ctx: Any, show: Any) -> Any:
        a = ctx.arrays[array]
        turned = replace(ctx, arrays={**ctx.arrays, array: replace(a, shape=a.shape[::-1])})
        return right(array, index, turned, show)

    everywhere(patch, right, wrong)


@fault("Python's max takes a NaN from the right", "max of floats, kept", most=True)
def _python_max(patch: Patch) -> None:
    patch.setitem(helpers.CHOICE, "max", ("py_max", "a > b ? a : b"))


@fault("NumPy's maximum drops a NaN", "np.maximum of floats, kept", most=True)
def _numpy_max(patch: Patch) -> None:
    patch.setitem(helpers.CHOICE, "maximum", ("np_max", "a > b ? a : b"))


@fault("narrow integers do not wrap", "narrow integers overflow")
def _narrow(patch: Patch) -> None:
    patch.setattr(expressions, "_back", lambda found, dtype, ctx: found)


@fault("integers may overflow", "narrow integers overflow", "operator *", detect=True)
def _overflow(patch: Patch) -> None:
    patch.setattr(facts, "stays_inside", lambda op, a, b: True)


@fault("every index is 0 or more", "operator % of ints", "operator // of ints", "index by // or %")
def _natural(patch: Patch) -> None:
    everywhere(patch, facts.is_natural, lambda e, ctx: True)


@fault("bf16 is cut off, not rounded", "array of bf16")
def _cut(patch: Patch) -> None:
    wrong = re.sub(r"bits \+ [^;]*;", "bits;", helpers.BF16_FROM_F32.text)
    everywhere(patch, helpers.BF16_FROM_F32, replace(helpers.BF16_FROM_F32, text=wrong))


@fault("a loop runs once more", "1 axes", detect=True)
def _once_more(patch: Patch) -> None:
    patch.setattr(statements, "infix", lambda op, a, b: text.infix("<=" if op == "<" else op, a, b))


@fault("a test is not turned round", "not")
def _turned(patch: Patch) -> None:
    instead(patch, expressions._not, lambda v, ctx: show(v, ctx))  # noqa: F821


@fault("an atomic min is a max", "scatter min")
def _atomic(patch: Patch) -> None:
    patch.setitem(hip_atomics._INTEGER, "min", "atomicMax")


@fault(
    "a tree over a block has no barriers", "reduction of everything", "row .sum()", "reduction by +=", detect=True
)
def _tree(patch: Patch) -> None:
    right = frame.fill
    everywhere(patch, right, lambda *frame, **values: right(*frame, **values).replace("__syncthreads();", ";"))


@fault("a vector is loaded from one place on", "whole-array statement", "1 axes", detect=True)
def _one_on(patch: Patch) -> None:
    right = registers.offset
    patch.setattr(registers, "offset", lambda *arguments: text.infix("+", right(*arguments), text.Text("1")))


@fault("waves are combined by the wrong operation", "reduction of everything", "row .sum()", "reduction by +=")
def _wrong_tree(patch: Patch) -> None:
    from tl2hip.hip import reductions

    right = reductions.combined
    patch.setattr(reductions, "combined", lambda op, *rest: right("*" if op == "+" else op, *rest))


@fault("a fused product multiplies the sum", "matrix product", "sum of a generator")
def _unfused(patch: Patch) -> None:
    def wrong(self: Any, s: Any) -> Any:
        found = _SET(self, s)
        return replace(found, left=Var(found.name, s.value.dtype)) if hasattr(found, "left") else found

    patch.setattr(threads.ThreadCode, "_set", wrong)


_SET = threads.ThreadCode._set
