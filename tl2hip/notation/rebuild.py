"""A kernel's function with its dims replaced by plain ints, and the functions it calls likewise.

The code stays the same object; only what its global names and closure cells stand for is replaced. A kernel
thus runs at Python's own speed, and `range(M)` sees an int.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

from tl2hip.notation.extents import Extent


def rebuilt(function: FunctionType, bound: Mapping[str, int]) -> FunctionType:
    """`function` with each dim, and each expression of dims, standing for its value in `bound`.

    Helpers are rebuilt too where they are plain functions of the same module. Dims that `bound` lacks stay,
    and say so when they are used. Neither the function nor its module is changed.
    """
    return _Rebuilding(function.__globals__, bound).of(function)


class _Rebuilding:
    """One module's functions, rebuilt over one copy of its globals."""

    def __init__(self, module: dict[str, Any], bound: Mapping[str, int]) -> None:
        self.module = module
        self.bound = bound
        self.globals = dict(module)
        self.made: dict[int, FunctionType] = {}

    def of(self, function: FunctionType) -> FunctionType:
        if id(function) in self.made:
            return self.made[id(function)]
        cells = tuple(CellType() for _ in function.__closure__ or ())
        code, name, defaults = function.__code__, function.__name__, function.__defaults__
        new = FunctionType(code, self.globals, name, defaults, cells or None)
        new.__kwdefaults__ = function.__kwdefaults__
        self.made[id(function)] = new
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.replaced(old.cell_contents)
        for name in _names(function.__code__):
            if name in self.module:
                self.globals[name] = self.replaced(self.module[name])
        return new

    def replaced(self, value: Any) -> Any:
        """What a global or a cell stands for in this call."""
        if isinstance(value, Extent):
            return value.at(self.bound) if value.names() <= self.bound.keys() else value
        if isinstance(value, FunctionType) and value.__globals__ is self.module:
            return self.of(value)
        return value


def _names(code: CodeType) -> Iterator[str]:
    """The names a code object looks up, those of comprehensions and functions inside it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
