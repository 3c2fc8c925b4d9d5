"""What every kernel object can be asked of the compiler. Nothing of the compiler is imported before that."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from tl2hip.notation.home import home


class Compilable:
    """A kernel whose function's text can be transpiled; `sets` holds the extents that are already fixed."""

    def __init__(self, function: FunctionType, sets: Mapping[str, int]) -> None:
        self.function: FunctionType = function
        self.sets: dict[str, int] = dict(sets)

    def emit_hip(self, *, tile: Mapping[str, int] | None = None, **sets: int) -> str:
        """The HIP text: `gemm.emit_hip(M=1024, tile={"i": 256})` fixes extents and overrides tile sizes."""
        from tl2hip import api

        return api.emit_hip(
            home(self.function),
            kernel=self.function.__name__,
            sets=self.sets | sets,
            tiles=dict(tile or {}),
        )

    def verify(self, **options: Any) -> Any:
        """What proving the printed HIP equal to this function finds; runs the function."""
        from tl2hip import api

        return api.verify(home(self.function), kernel=self.function.__name__, sets=self.sets, **options)

    def explain(self) -> str:
        """Where each loop went and why, and which rules fitted."""
        from tl2hip import api

        return api.explain(home(self.function), kernel=self.function.__name__, sets=self.sets)

    def plan(self) -> str:
        """The plan of every launch, as text."""
        from tl2hip import api

        return api.show_plan(home(self.function), kernel=self.function.__name__, sets=self.sets)
