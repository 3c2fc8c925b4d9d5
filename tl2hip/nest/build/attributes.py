"""Attributes: what an array says of itself, and constants of libraries."""

from __future__ import annotations

from tl2hip.dtypes import F16, F32, F64
from tl2hip.nest import ir
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.names import dtype_of, library_number, means
from tl2hip.nest.build.slices import transposed
from tl2hip.nest.build.undecided import check_numpys
from tl2hip.nest.build.values import ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused


def attribute(ctx: Context, e: nodes.Attribute) -> Result:
    """`A.shape`, `A.size`, `A.ndim`, `A.T`, or a constant such as `math.pi`."""
    name = means(ctx, e)
    if name is not None:
        known = library_number(ctx, e)
        if known is None:
            raise Refused(problems.UndefinedName(name, at=e.at))
        return known
    if isinstance(e.value, nodes.Call) and means(ctx, e.value.func) == "numpy.finfo":
        return _of_floats(ctx, e, e.value)
    base = ctx.evaluate(ctx, e.value)
    if isinstance(base, tuple):
        raise Refused(problems.UnknownAttribute(e.name, at=e.at))
    return of_value(base, e)


def _of_floats(ctx: Context, e: nodes.Attribute, call: nodes.Call) -> ScalarValue:
    """`np.finfo(np.float32).min` and its kin: a number of that dtype."""
    dtype = dtype_of(ctx, call.args[0]) if len(call.args) == 1 and not call.keywords else None
    if dtype not in (F16, F32, F64):
        way = "give it np.float16, np.float32 or np.float64"
        raise Refused(problems.WrongArguments("np.finfo", "takes a float dtype of NumPy's own", way, at=call.at))
    top, unit = 2 ** (dtype.bits - dtype.mantissa - 2) - 1, 2.0**-dtype.mantissa  # IEEE 754's binary formats
    most, least = (2 - unit) * 2.0**top, 2.0 ** (1 - top)
    found = {"max": most, "min": -most, "eps": unit, "tiny": least, "smallest_normal": least}.get(e.name)
    if found is None:
        raise Refused(problems.UnknownAttribute(e.name, at=e.at))
    return ScalarValue(ir.Const(found, dtype))


def of_value(base: Value, e: nodes.Attribute) -> Result:
    """An attribute of an array or of one of NumPy's numbers; Python's have none of these."""
    if isinstance(base, ScalarValue) and base.weak:
        raise Refused(problems.UnknownAttribute(e.name, at=e.at))
    check_numpys(base, e.at)
    shape = () if isinstance(base, ScalarValue) else base.shape
    if e.name == "shape":
        return tuple(ScalarValue(extent, weak=True) for extent in shape)
    if e.name == "ndim":
        return ScalarValue(fold.number(len(shape)), weak=True)
    if e.name == "size":
        return ScalarValue(size(shape), weak=True)
    if e.name == "T" and not isinstance(base, ScalarValue):
        return transposed(base, tuple(reversed(range(len(shape)))))
    raise Refused(problems.UnknownAttribute(e.name, at=e.at))


def size(shape: tuple[ir.Expr, ...]) -> ir.Expr:
    """The number of elements of a shape."""
    total: ir.Expr = fold.number(1)
    for extent in shape:
        total = fold.multiply(total, extent)
    return total
