"""What an annotation says of a value, held against what the value is.

The annotation of a kernel's result has to be exact. That of a helper function is held against each call `loosely`:
`float` and `int` are said of NumPy's numbers too, as people write them, extents may be of another kernel, and a
type that is none of a number or an array (a TypeVar, a Protocol) says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import BOOL, F32, F64, I64, ML_DTYPES, DType
from tl2hip.nest import ir
from tl2hip.nest.build.broadcast import Shape, equal, show_extent
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.operands import shape_of
from tl2hip.nest.build.values import ScalarValue
from tl2hip.nest.walk import all_parts
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.walk import walk

_TENSOR, _NDARRAY, _ARRAY = "tl2hip.Tensor", "numpy.typing.NDArray", "numpy.ndarray"
_ANYTHING = ("builtins.object", "typing.Any")
_TUPLES = ("builtins.tuple", "typing.Tuple")
_NUMBERS = {"builtins.int": I64, "builtins.float": F64, "builtins.bool": BOOL}


@dataclass(frozen=True, slots=True)
class One:
    """One value: its dtype and its extents (None: a number); `weak`: a number of Python's own."""

    dtype: DType
    shape: Shape | None
    weak: bool = False


Given = One | tuple["Given", ...] | None
"""What an annotation is about: a value, a tuple of them, or nothing."""


def given(value: Result | None) -> Given:
    """What an expression gives, as annotations speak of it."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(given(item) for item in value)
    if isinstance(value, ScalarValue):
        return One(value.dtype, None, value.weak)
    return One(value.dtype, value.shape or None)


def holds(ctx: Context, said: nodes.Expr, it: Given, loosely: bool = False) -> bool:
    """Whether an annotation is right of what it is about."""
    if isinstance(said, nodes.Nothing):
        return it is None
    name = means(ctx, _base(said))
    if loosely and not _is_known(ctx, said, name):
        return True
    if it is None or name in _ANYTHING:
        return it is not None
    if name in _TUPLES:
        return _hold_of_tuple(ctx, said, it, loosely)
    return isinstance(it, One) and _holds_of_one(ctx, said, name or "", it, loosely)


def _base(said: nodes.Expr) -> nodes.Expr:
    return said.value if isinstance(said, nodes.Subscript) else said


def _index(said: nodes.Expr) -> tuple[nodes.Expr, ...]:
    return said.index if isinstance(said, nodes.Subscript) else ()


def _is_known(ctx: Context, said: nodes.Expr, name: str | None) -> bool:
    """Whether a type is that of a number, an array or a tuple of them."""
    known = (_TENSOR, _NDARRAY, _ARRAY, *_NUMBERS, *_TUPLES)
    return name in known or dtype_named(ctx, said) is not None


def _hold_of_tuple(ctx: Context, said: nodes.Expr, it: Given, loosely: bool) -> bool:
    """A kernel's one result is the same whether it is returned by itself or in a tuple."""
    if isinstance(it, One):
        if loosely or not isinstance(said, nodes.Subscript):
            return False
        it = (it,)
    assert it is not None
    items = _index(said)
    if len(items) == 2 and isinstance(items[1], nodes.Ellipsis_):
        items = (items[0],) * len(it)
    if not items:
        return True
    return len(items) == len(it) and all(holds(ctx, e, v, loosely) for e, v in zip(items, it, strict=True))


def _holds_of_one(ctx: Context, said: nodes.Expr, name: str, one: One, loosely: bool) -> bool:
    index = _index(said)
    if one.shape is None:
        return not index and _is_number(ctx, said, name, one, loosely)
    if name == _NDARRAY and len(index) == 1:
        return _is_dtype(ctx, index[0], one.dtype, loosely)
    if name == _ARRAY:
        return not index or (len(index) == 2 and _is_numpy(ctx, index[0], index[1], one.dtype, one.shape, loosely))
    return name == _TENSOR and _is_tensor(ctx, index, one.dtype, one.shape, loosely)


def _is_number(ctx: Context, said: nodes.Expr, name: str, one: One, loosely: bool) -> bool:
    """`float` is said of f64, and of what `math` gives, though that may be held in f32; loosely of any number, as
    PEP 484 has it, and `int` of any integer. A dtype is said of NumPy's numbers."""
    if loosely and name == "builtins.float":
        return one.dtype is not BOOL
    if loosely and name == "builtins.int":
        return one.dtype.is_int
    if name in _NUMBERS:
        return one.dtype is _NUMBERS[name] or (name == "builtins.float" and one.weak and one.dtype is F32)
    return dtype_named(ctx, said) is one.dtype and not (one.weak and (loosely or one.dtype is F32))


def _is_dtype(ctx: Context, said: nodes.Expr, dtype: DType, loosely: bool) -> bool:
    named = dtype_named(ctx, said)
    return means(ctx, said) in _ANYTHING or named is dtype or (loosely and named is None)


def _is_numpy(
    ctx: Context, axes: nodes.Expr, kind: nodes.Expr, dtype: DType, shape: Shape, loosely: bool
) -> bool:
    """`np.ndarray[tuple[int, int], np.dtype[np.float32]]`."""
    if isinstance(kind, nodes.Subscript) and means(ctx, kind.value) == "numpy.dtype" and len(kind.index) == 1:
        counted = isinstance(axes, nodes.Subscript) and not isinstance(axes.index[-1], nodes.Ellipsis_)
        rank = len(axes.index) if counted and isinstance(axes, nodes.Subscript) else len(shape)
        return rank == len(shape) and _is_dtype(ctx, kind.index[0], dtype, loosely)
    return False


def _is_tensor(ctx: Context, index: tuple[nodes.Expr, ...], dtype: DType, shape: Shape, loosely: bool) -> bool:
    if not index:
        return loosely
    if dtype_named(ctx, index[0]) is not dtype or len(index) - 1 != len(shape):
        return False
    return loosely or all(_is_extent(ctx, e, extent) for e, extent in zip(index[1:], shape, strict=True))


def _is_extent(ctx: Context, said: nodes.Expr, extent: ir.Expr) -> bool:
    """Whether an extent is what is said; `:` says nothing. A dim of no parameter is none of the kernel's."""
    if isinstance(said, nodes.Slice):
        return said == nodes.Slice(None, None, None)
    dims = dict(ctx.state.dims)
    try:
        with ctx.block():
            found = shape_of(ctx, said)
    except Refused:
        return False
    finally:
        ctx.state.dims = dims
    return len(found) == 1 and equal(ctx, found[0], extent)


def problem(ctx: Context, function: str, said: nodes.Expr, it: Given) -> problems.ReturnHint:
    """What is told where the annotation of a function's result does not hold."""
    if it is None:
        return problems.ReturnHint(function, "None", "return what it says", at=said.at)
    return problems.ReturnHint(function, right(ctx, said, it), at=said.at)


def right(ctx: Context, said: nodes.Expr, it: Given) -> str:
    """The annotation that would hold, in the words of the one that does not."""
    tensors = any(isinstance(e, nodes.Subscript) and means(ctx, e.value) == _TENSOR for e in walk(said))
    return _right(ctx, it, tensors)


def _right(ctx: Context, it: Given, tensors: bool) -> str:
    if it is None:
        return "None"
    if isinstance(it, tuple):
        return f"tuple[{', '.join(_right(ctx, item, tensors) for item in it)}]"
    if it.shape is None:
        python = {I64: "int", F64: "float", F32: "float"} if it.weak else {}
        return python.get(it.dtype, it.dtype.name)
    if tensors:
        return f"Tensor[{', '.join([it.dtype.name, *(_extent(ctx, e) for e in it.shape)])}]"
    return f"NDArray[{it.dtype.name if it.dtype in ML_DTYPES else f'np.{it.dtype.numpy}'}]"


def _extent(ctx: Context, e: ir.Expr) -> str:
    """An extent as an annotation may give it; `:` where it is of no dim that the file has."""
    named = all(p.name in ctx.dim_names for p in all_parts(e) if isinstance(p, ir.Dim))
    text = show_extent(e)
    return text if named and "…" not in text else ":"
