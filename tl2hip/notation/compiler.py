"""What every kernel object can be asked of the compiler. Nothing of the compiler is imported before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from operator import index
from types import FunctionType
from typing import Any

from tl2hip.notation.home import home


class Compilable:
    """A kernel whose function's text can be transpiled; `sets` holds the extents that are already fixed."""

    def __init__(self, function: FunctionType, sets: Mapping[str, int]) -> None:
        self.function: FunctionType = function
        self.sets: dict[str, int] = dict(sets)

    def emit_hip(
        self, *, tile: Mapping[str, int] | None = None, examples: Sequence[Any] = (), **sets: int
    ) -> str:
        """The HIP text: `gemm.emit_hip(M=1024, tile={"i": 256})` fixes extents and overrides tile sizes.

        `examples` are arguments like those it will be called with: they type the parameters, whatever their sizes.
        """
        from tl2hip import api

        name, parameters = self.function.__name__, signature(self.function).parameters
        constants = {n: v for n, v in sets.items() if n in parameters and isinstance(v, float)}
        fixed = self.sets | constants | _whole(name, {n: v for n, v in sets.items() if n not in constants})
        types = {name: ", ".join(_type(name, e) for e in examples)} if examples else {}
        tiles = _whole(name, tile or {})
        return api.emit_hip(home(self.function), kernel=name, sets=fixed, tiles=tiles, types=types)

    def verify(self, *, sets: Mapping[str, int] | None = None, **options: Any) -> Any:
        """What proving the printed HIP equal to this function finds; runs the function. `sets` fixes extents.

        TypeError where an option is none of those that `api.verify` takes.
        """
        from tl2hip import api

        name = self.function.__name__
        return api.verify(home(self.function), kernel=name, sets=self.sets | _whole(name, sets or {}), **options)

    def explain(self) -> str:
        """Where each loop went and why, and which rules fitted."""
        from tl2hip import api

        return api.explain(home(self.function), kernel=self.function.__name__, sets=self.sets)

    def plan(self) -> str:
        """The plan of every launch, as text."""
        from tl2hip import api

        return api.show_plan(home(self.function), kernel=self.function.__name__, sets=self.sets)


def _type(kernel: str, example: Any) -> str:
    """The type of an argument, as `--types` takes it. TypeError for what no parameter takes."""
    from tl2hip.dtypes import ALIASES

    if isinstance(example, bool | int | float):
        return type(example).__name__
    dtype = ALIASES.get(str(getattr(example, "dtype", "")))
    if dtype is None:
        raise TypeError(f"{kernel}: no type for an example of {type(example).__name__}: give arrays and numbers")
    axes = getattr(example, "ndim", 0)
    return f"{dtype.name}[{', '.join(':' * axes)}]" if axes else dtype.name


def _whole(kernel: str, given: Mapping[str, int]) -> dict[str, int]:
    """What was given, by name. TypeError where a value is no whole number."""
    try:
        return {name: index(value) for name, value in given.items()}
    except (TypeError, AttributeError):
        raise TypeError(f"{kernel}: extents and tiles are whole numbers by name, not {given!r}") from None
