"""One call's arguments, checked against the annotations: every dim's value found, scalars converted."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tl2hip.notation.elements import Element
from tl2hip.notation.extents import Dim, Extent, names_in, solved, value_at
from tl2hip.notation.tensors import TensorType

if TYPE_CHECKING:
    import numpy as np

INT_BITS = 64
"""Python's ints stand for i64 in a kernel."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing an argument has to satisfy: that `extent` is `size`, which `where` gives."""

    extent: int | Extent
    size: int
    where: str


_PYCCEL = re.compile(r"\s*[a-z]+[0-9]*\s*\[[\s:,]*:[\s:,]*\]\s*(\(order=C\))?\s*")
"""An array's type as Pyccel writes it, `float64[:,:]`: text to Python, so that it says nothing here."""


def declared_types(function: Callable[..., Any]) -> dict[str, Any]:
    """The function's annotations as objects; strings among them are evaluated where the function stands.

    None for one that is only text to Python. An `int` parameter may stand in an extent there:
    `def f(n: int, x: Tensor[f32, n])`.
    """
    given: dict[str, Any] = dict(function.__annotations__)
    if not any(isinstance(value, str) for value in given.values()):
        return given
    code, cells = function.__code__, function.__closure__ or ()
    inner = {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    inner |= {name: Dim(name) for name, value in given.items() if value in (int, "int")}
    for name, value in given.items():
        if isinstance(value, str) and _PYCCEL.fullmatch(value):
            given[name] = None
        elif isinstance(value, str):
            try:
                given[name] = eval(value, function.__globals__, inner)
            except NameError as error:
                raise TypeError(
                    f"{function.__name__}: the annotation of {name}, {value!r}, cannot be evaluated: {error}"
                ) from None
    return given


def bind(name: str, types: Mapping[str, Any], arguments: dict[str, Any]) -> dict[str, int]:
    """The value of every dim that the arguments fix; converts the scalars among `arguments` in place.

    `name` is the kernel's, for messages. TypeError for a wrong kind or dtype, ValueError for a wrong shape.
    """
    demands: list[Demand] = []
    sizes: dict[str, int] = {}
    for parameter, value in arguments.items():
        declared = types.get(parameter)
        if isinstance(declared, TensorType):
            demands += _demands(name, parameter, declared, value)
        else:
            arguments[parameter] = _scalar(name, parameter, declared, value)
            if declared is int:
                sizes[parameter] = arguments[parameter]
    bound, origins = _solve(name, demands, sizes)
    for demand in demands:
        _check(name, demand, bound, origins)
    return bound


def refuse_overlaps(name: str, written: frozenset[str], arguments: Mapping[str, Any]) -> None:
    """ValueError where a tensor the kernel writes shares memory with another argument.

    Address ranges are compared, as the printed launcher does. The same array twice is let through: whether
    the kernel may work in place is the compiler's question, and Python's own run has an answer.
    """
    import numpy as np

    arrays = {key: value for key, value in arguments.items() if isinstance(value, np.ndarray)}
    for target in (key for key in arrays if key in written):
        for other, array in arrays.items():
            if other == target or _same(arrays[target], array):
                continue
            if np.may_share_memory(arrays[target], array):
                raise ValueError(
                    f"{name}: {target} is written and overlaps {other} in memory; pass a copy of one of them"
                )


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether both are one array: base, shape, strides and dtype."""
    base = a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    return base and a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype


def _demands(name: str, parameter: str, declared: TensorType, value: object) -> list[Demand]:
    """What the shape (and strides, where declared) of one array ask of the dims."""
    import numpy as np

    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name}: {parameter} is declared {declared} and takes a NumPy array, not {_kind(value)}")
    if value.dtype != declared.element.dtype:
        raise TypeError(
            f"{name}: {parameter} is declared {declared.element}, but the array's dtype is {value.dtype};"
            f" cast it with {declared.element}({parameter})"
        )
    if value.ndim != len(declared.extents):
        raise ValueError(
            f"{name}: {parameter} is declared {declared} with {len(declared.extents)} axes,"
            f" but the array has {value.ndim}: its shape is {value.shape}"
        )
    demands = [
        Demand(extent, size, f"{parameter}.shape[{axis}]")
        for axis, (extent, size) in enumerate(zip(declared.extents, value.shape, strict=True))
        if extent is not None
    ]
    if declared.strides is not None and value.size > 0:
        demands += _stride_demands(name, parameter, declared.strides, value)
    return demands


def _stride_demands(
    name: str, parameter: str, strides: tuple[int | Extent, ...], value: np.ndarray[Any, Any]
) -> list[Demand]:
    """Strides in elements; an axis of one element has no stride to speak of."""
    demands = []
    for axis, stride in enumerate(strides):
        if value.shape[axis] == 1:
            continue
        step, rest = divmod(value.strides[axis], value.itemsize)
        if rest:
            raise ValueError(f"{name}: {parameter}'s stride on axis {axis} is no whole number of elements")
        demands.append(Demand(stride, step, f"{parameter}'s stride on axis {axis}"))
    return demands


def _solve(name: str, demands: list[Demand], sizes: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
    """Every dim that some demand or an int argument of its name fixes, with where its value comes from."""
    bound = dict(sizes)
    origins = dict.fromkeys(sizes, "the argument")
    progress = True
    while progress:
        progress = False
        for demand in demands:
            if not isinstance(demand.extent, Extent):
                continue
            try:
                found = solved(demand.extent, demand.size, bound)
            except ValueError as error:
                raise ValueError(f"{name}: {demand.where} is {demand.size}: {error}") from None
            if found is not None:
                bound[found[0]] = found[1]
                origins[found[0]] = demand.where
                progress = True
    return bound, origins


def _check(name: str, demand: Demand, bound: Mapping[str, int], origins: Mapping[str, str]) -> None:
    missing = sorted(names_in(demand.extent) - bound.keys())
    if missing:
        raise ValueError(
            f"{name}: {demand.where} is {demand.size} and declared {demand.extent},"
            f" but no argument's shape fixes {' and '.join(missing)}"
        )
    value = value_at(demand.extent, bound)
    if value == demand.size:
        return
    if not isinstance(demand.extent, Extent):
        raise ValueError(f"{name}: {demand.where} is {demand.size}, but is declared {value}")
    dims = sorted(names_in(demand.extent))
    sources = ", ".join(f"{dim} = {bound[dim]} from {origins[dim]}" for dim in dims)
    raise ValueError(f"{name}: {demand.where} is {demand.size}, but {demand.extent} is {value} ({sources})")


def _scalar(name: str, parameter: str, declared: object, value: Any) -> Any:
    """One argument that is no tensor, as its annotation types it; unchanged where that says nothing."""
    if isinstance(declared, Element):
        return _strong(name, parameter, declared, value)
    if declared is int:
        return _whole(name, parameter, "int", value, INT_BITS)
    if declared is float:
        if not hasattr(value, "__float__") or _axes(value):
            raise TypeError(f"{name}: {parameter} is declared float and takes a number, not {_kind(value)}")
        return float(value)
    if declared is bool:
        if not isinstance(value, bool) and str(getattr(value, "dtype", "")) != "bool":
            raise TypeError(f"{name}: {parameter} is declared bool and takes True or False and not {_kind(value)}")
        return bool(value)
    return value


def _strong(name: str, parameter: str, declared: Element, value: Any) -> Any:
    """A scalar of a declared element type; whole types take whole numbers in their range only."""
    if _axes(value) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: {parameter} is declared {declared} and takes a number, not {_kind(value)}")
    if declared.name[0] in "iu":
        value = _whole(name, parameter, declared.name, value, declared.bits, signed=declared.name[0] == "i")
    return declared(value)


def _whole(name: str, parameter: str, declared: str, value: Any, bits: int, signed: bool = True) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: {parameter} is declared {declared} and takes a whole number, not {_kind(value)}"
        ) from None
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= number <= high:
        raise ValueError(f"{name}: {parameter} is {number}, which does not fit {declared} of {bits} bits")
    return number


def _axes(value: object) -> int:
    return len(getattr(value, "shape", ()))


def _kind(value: object) -> str:
    """A short name of what was passed, for messages."""
    shape = getattr(value, "shape", None)
    if shape:
        return f"an array of shape {tuple(shape)}"
    if isinstance(value, (bool, int, float, str, type(None))):
        return repr(value)
    return f"a {type(value).__name__}"
