"""The annotation of what a function returns, held against what it does return."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import BOOL, F32, F64, I64, ML_DTYPES, DType
from tl2hip.nest import ir
from tl2hip.nest.build.broadcast import Shape, equal, show_extent
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.operands import shape_of
from tl2hip.nest.build.results import Results
from tl2hip.nest.walk import all_parts
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused
from tl2hip.source.walk import walk

_TENSOR = "tl2hip.Tensor"
_ANYTHING = ("builtins.object", "typing.Any")
_TUPLES = ("builtins.tuple", "typing.Tuple")
_NUMBERS = {"builtins.int": I64, "builtins.float": F64, "builtins.bool": BOOL}


@dataclass(frozen=True, slots=True)
class _Given:
    """One result: its extents (None: a number) and its dtype; `weak`: a number of Python's own."""

    dtype: DType
    shape: Shape | None
    weak: bool = False


def check_annotation(ctx: Context, results: Results) -> None:
    """Tells where the annotation of a function's result says something else than what it returns."""
    said = ctx.function.returns
    if said is None:
        return
    given = tuple(_given(ctx, results, name) for name in results.names)
    if not _holds(ctx, said, given):
        tensors = any(isinstance(e, nodes.Subscript) and means(ctx, e.value) == _TENSOR for e in walk(said))
        right = [_right(ctx, one, tensors) for one in given]
        if not given:
            ctx.tell(problems.ReturnHint(ctx.function.name, "None", "return what it says", at=said.at))
            return
        whole = f"tuple[{', '.join(right)}]" if len(right) > 1 else right[0]
        ctx.tell(problems.ReturnHint(ctx.function.name, whole, at=said.at))


def _given(ctx: Context, results: Results, name: str) -> _Given:
    array = ctx.state.arrays[name]
    if name in results.scalars:
        return _Given(array.dtype, None, name in results.weak)
    return _Given(array.dtype, array.shape)


def _holds(ctx: Context, said: nodes.Expr, given: tuple[_Given, ...]) -> bool:
    if isinstance(said, nodes.Nothing):
        return not given
    base = said.value if isinstance(said, nodes.Subscript) else said
    name = means(ctx, base)
    if name in _ANYTHING:
        return bool(given)
    if name not in _TUPLES:
        return len(given) == 1 and _holds_of_one(ctx, said, name or "", given[0])
    if not isinstance(said, nodes.Subscript):
        return len(given) > 1
    items = said.index
    if len(items) == 2 and isinstance(items[1], nodes.Ellipsis_):
        items = (items[0],) * len(given)
    return len(items) == len(given) and all(_holds(ctx, e, (one,)) for e, one in zip(items, given, strict=True))


def _holds_of_one(ctx: Context, said: nodes.Expr, name: str, one: _Given) -> bool:
    index = said.index if isinstance(said, nodes.Subscript) else ()
    if one.shape is None:
        return not index and _is_number(ctx, said, name, one)
    if name == "numpy.typing.NDArray" and len(index) == 1:
        return _is_dtype(ctx, index[0], one.dtype)
    if name == "numpy.ndarray":
        return not index or (len(index) == 2 and _is_numpy(ctx, index[0], index[1], one.dtype, one.shape))
    return name == _TENSOR and _is_tensor(ctx, index, one.dtype, one.shape)


def _is_number(ctx: Context, said: nodes.Expr, name: str, one: _Given) -> bool:
    """`float` is said of f64, and of what `math` gives, though that may be held in f32."""
    if name in _NUMBERS:
        return one.dtype is _NUMBERS[name] or (name == "builtins.float" and one.weak and one.dtype is F32)
    return dtype_named(ctx, said) is one.dtype and not (one.weak and one.dtype is F32)


def _is_dtype(ctx: Context, said: nodes.Expr, dtype: DType) -> bool:
    return means(ctx, said) in _ANYTHING or dtype_named(ctx, said) is dtype


def _is_numpy(ctx: Context, axes: nodes.Expr, kind: nodes.Expr, dtype: DType, shape: Shape) -> bool:
    """`np.ndarray[tuple[int, int], np.dtype[np.float32]]`."""
    if isinstance(kind, nodes.Subscript) and means(ctx, kind.value) == "numpy.dtype" and len(kind.index) == 1:
        counted = isinstance(axes, nodes.Subscript) and not isinstance(axes.index[-1], nodes.Ellipsis_)
        rank = len(axes.index) if counted and isinstance(axes, nodes.Subscript) else len(shape)
        return rank == len(shape) and _is_dtype(ctx, kind.index[0], dtype)
    return False


def _is_tensor(ctx: Context, index: tuple[nodes.Expr, ...], dtype: DType, shape: Shape) -> bool:
    if not index or dtype_named(ctx, index[0]) is not dtype or len(index) - 1 != len(shape):
        return False
    return all(_is_extent(ctx, e, extent) for e, extent in zip(index[1:], shape, strict=True))


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


def _right(ctx: Context, one: _Given, tensors: bool) -> str:
    """The annotation that says what one result is."""
    if one.shape is None:
        python = {I64: "int", F64: "float", F32: "float"} if one.weak else {}
        return python.get(one.dtype, one.dtype.name)
    if tensors:
        return f"Tensor[{', '.join([one.dtype.name, *(_extent(ctx, e) for e in one.shape)])}]"
    return f"NDArray[{one.dtype.name if one.dtype in ML_DTYPES else f'np.{one.dtype.numpy}'}]"


def _extent(ctx: Context, e: ir.Expr) -> str:
    """An extent as an annotation may give it; `:` where it is of no dim that the file has."""
    named = all(p.name in ctx.dim_names for p in all_parts(e) if isinstance(p, ir.Dim))
    text = show_extent(e)
    return text if named and "…" not in text else ":"
