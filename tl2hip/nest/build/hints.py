"""The annotations of a helper function, held against what it is given and what it returns.

A helper is built anew for each call, in the dtypes of its arguments: its annotations cast nothing. So one that says
another dtype, another kind or another number of axes is refused. `float` and `int` are said of NumPy's numbers too,
as people write them; a type that is none of a number or an array (a TypeVar, a Protocol) says nothing here.
"""

from __future__ import annotations

from tl2hip.dtypes import BOOL
from tl2hip.nest.build.context import Context, Result
from tl2hip.nest.build.names import dtype_named, means
from tl2hip.nest.build.types import described
from tl2hip.nest.build.values import ScalarValue, Value
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems

_ARRAYS = {"tl2hip.Tensor": 1, "numpy.typing.NDArray": 0, "numpy.ndarray": 0}
"""Types of arrays, each with what an index of it has before the extents (a dtype alone: 0)."""
_NUMBERS = ("builtins.int", "builtins.float", "builtins.bool")
_TUPLES = ("builtins.tuple", "typing.Tuple")


def check_parameter(ctx: Context, parameter: nodes.Parameter, given: Result) -> None:
    """Tells where a parameter's annotation says something else than what a call gives it."""
    said = parameter.annotation
    if said is not None and not _may_be(ctx, said, given):
        ctx.tell(problems.LocalHint(parameter.name, _shown(given), at=said.at))


def check_returned(ctx: Context, f: nodes.Function, found: Result | None) -> None:
    """Tells where the annotation of a function's result says something else than what it returns."""
    said = f.returns
    if said is None:
        return
    if found is None:
        if not isinstance(said, nodes.Nothing) and _speaks_of_values(ctx, said):
            ctx.tell(problems.ReturnHint(f.name, "None", "return what it says", at=said.at))
    elif isinstance(said, nodes.Nothing) or not _may_be(ctx, said, found):
        ctx.tell(problems.ReturnHint(f.name, _shown(found), at=said.at))


def _speaks_of_values(ctx: Context, said: nodes.Expr) -> bool:
    """Whether a type is that of a number, an array or a tuple of them."""
    name = means(ctx, _base(said))
    return name in (*_NUMBERS, *_ARRAYS, *_TUPLES) or dtype_named(ctx, said) is not None


def _may_be(ctx: Context, said: nodes.Expr, given: Result) -> bool:
    """Whether a value may be what an annotation says."""
    if isinstance(said, nodes.Nothing):
        return False
    if not _speaks_of_values(ctx, said):
        return True
    name, index = means(ctx, _base(said)), said.index if isinstance(said, nodes.Subscript) else ()
    if name in _TUPLES:
        return isinstance(given, tuple) and _are_items(ctx, index, given)
    if isinstance(given, tuple):
        return False
    if name in _ARRAYS:
        return _is_array(ctx, _ARRAYS[name], index, given)
    return (isinstance(given, ScalarValue) or not given.shape) and _is_number(ctx, said, name, given)


def _are_items(ctx: Context, index: tuple[nodes.Expr, ...], given: tuple[Result, ...]) -> bool:
    if len(index) == 2 and isinstance(index[1], nodes.Ellipsis_):
        index = (index[0],) * len(given)
    return not index or (len(index) == len(given) and all(map(lambda e, v: _may_be(ctx, e, v), index, given)))


def _is_array(ctx: Context, before: int, index: tuple[nodes.Expr, ...], given: Value) -> bool:
    """Whether a value is an array of the dtype that an index names first, with as many axes as it goes on with."""
    if isinstance(given, ScalarValue) or not given.shape:
        return False
    dtype = dtype_named(ctx, index[0]) if index else None
    if dtype is not None and dtype is not given.dtype:
        return False
    return not before or not index or len(index) - before == len(given.shape)


def _is_number(ctx: Context, said: nodes.Expr, name: str | None, given: Value) -> bool:
    """A dtype is said of itself alone; `float` of any number, as PEP 484 has it, `int` of any integer."""
    if name == "builtins.float":
        return given.dtype is not BOOL
    if name == "builtins.int":
        return given.dtype.is_int
    weak = isinstance(given, ScalarValue) and given.weak
    return dtype_named(ctx, said) is given.dtype and (name in _NUMBERS or not weak)


def _base(said: nodes.Expr) -> nodes.Expr:
    return said.value if isinstance(said, nodes.Subscript) else said


def _shown(found: Result) -> str:
    """What a value is, as an annotation would say it."""
    if isinstance(found, tuple):
        return f"tuple[{', '.join(map(_shown, found))}]"
    if not isinstance(found, ScalarValue) and found.shape:
        return f"Tensor[{', '.join([found.dtype.name, *(':' for _ in found.shape)])}]"
    return described(found)
