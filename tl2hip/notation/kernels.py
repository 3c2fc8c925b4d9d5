"""The `kernel` decorator and what it makes of a function."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from tl2hip.notation.bind import bind, declared_types, refuse_overlaps
from tl2hip.notation.compiler import Compilable
from tl2hip.notation.elements import Element
from tl2hip.notation.rebuild import rebuilt
from tl2hip.notation.tensors import TensorType
from tl2hip.notation.written import written


class Kernel(Compilable):
    """A function as a kernel: call it to run it as Python on NumPy, or ask for its HIP.

    `math` is the type in which functions of `math` are computed on f32 and narrower; None is f32.
    """

    __name__: str
    __wrapped__: Callable[..., Any]

    def __init__(self, function: FunctionType, math: Element | None = None) -> None:
        functools.update_wrapper(self, function)
        super().__init__(function, {})
        self.math = math

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Runs the function on NumPy arrays, its dims bound to their shapes; gives what the function returns.

        TypeError or ValueError where an argument does not fit its annotation, or where a tensor that is
        written overlaps another argument.
        """
        try:
            given = self._signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}") from None
        given.apply_defaults()
        bound = bind(self.__name__, self._types, given.arguments)
        refuse_overlaps(self.__name__, self._written, given.arguments)
        if "tl2hip.notation.tile" in sys.modules:
            _take_tiles(self.function, given.arguments)
        return rebuilt(self.function, bound)(*given.args, **given.kwargs)

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @functools.cached_property
    def _types(self) -> dict[str, Any]:
        return declared_types(self.function)

    @functools.cached_property
    def _written(self) -> frozenset[str]:
        ranks = {name: len(t.extents) for name, t in self._types.items() if isinstance(t, TensorType)}
        return written(self.function, ranks)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}({', '.join(self._signature.parameters)})>"


def _take_tiles(function: FunctionType, arguments: dict[str, Any]) -> None:
    """Makes the arrays of a kernel with tile loops indexable with index tiles, in place."""
    from tl2hip.notation.tile.arrays import indexable, uses_tiles

    if uses_tiles(function):
        arguments |= {name: indexable(value) for name, value in arguments.items()}


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(*, math: object = None) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None, /, *, math: object = None
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Marks a function as a kernel: `@kernel`, or `@kernel(math=f64)`.

    `math=f64` computes `math.exp` and its kin in f64, as Python does, instead of f32 where their argument is
    f32 or narrower. Either way the Python run stays Python's own.
    """
    if math is not None and not (isinstance(math, Element) and math.name in ("f32", "f64")):
        raise TypeError(f"kernel: math is f32 or f64, not {math!r}")
    chosen = math if isinstance(math, Element) else None
    if function is None:
        return lambda given: _kernel(given, chosen)
    return _kernel(function, chosen)


def _kernel(function: Callable[..., Any], math: Element | None) -> Kernel:
    if not isinstance(function, FunctionType):
        raise TypeError(f"@kernel stands on a plain function, not on {function!r}")
    return Kernel(function, math)


def offsets(index: Any, /) -> bool:
    """Whether an array holds offsets, none below 0 and none below the one before it: `assert offsets(start)` says
    that the ranges `start[i]` to `start[i + 1]` do not overlap."""
    import numpy as np

    values = np.asarray(index)
    return bool(np.all(values >= 0) and np.all(values[1:] >= values[:-1]))


def distinct(index: Any, /) -> bool:
    """Whether all elements of an index array differ: `assert distinct(idx)` licenses a plain scatter."""
    import numpy as np

    values = np.asarray(index)
    return bool(np.unique(values).size == values.size)
