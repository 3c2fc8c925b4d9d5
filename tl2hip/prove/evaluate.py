"""Values of expressions over extents, scalars and given loop variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tl2hip.nest.ir import Array, Expr, Nest
from tl2hip.nest.run import Typed
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.lanes import Frame
from tl2hip.nest.run.machine import Machine

Sizes = dict[str, int]


class Evaluator:
    """Values of expressions over the extents, the scalars and given loop variables."""

    def __init__(self, nest: Nest, dims: Mapping[str, int], scalars: Mapping[str, Any] | None = None) -> None:
        self.machine: Machine[Values] = Machine(nest, Typed(), ())
        self.frame: Frame[Values] = Frame(self.machine.arithmetic, 1)
        for name, value in dims.items():
            self.frame.read["#" + name] = np.array([value], np.int64)
        for name, value in (scalars or {}).items():
            self.frame.read["$" + name] = np.array([value])

    def number(self, e: Expr) -> Any:
        """A value as Python's own; None where the expression needs more than is given."""
        try:
            with np.errstate(all="ignore"):
                return self.machine.value(e, self.frame)[0].item()
        except NameError:
            return None

    def whole(self, e: Expr) -> int | None:
        """An integer; None where the expression needs more than is given."""
        found = self.number(e)
        return None if found is None else int(found)

    def extents(self, array: Array) -> tuple[int | None, ...]:
        return tuple(self.whole(e) for e in array.shape)
