"""Arrays that a kernel of a product has of its own: registers and LDS."""

from __future__ import annotations

from tl2hip.dtypes import DType
from tl2hip.nest.index import number
from tl2hip.nest.ir import Array
from tl2hip.plan.ir import Placed, Space
from tl2hip.plan.state import State


def put(state: State, wish: str, dtype: DType, shape: tuple[int, ...], space: Space) -> str:
    """Places an array of a kernel's own; gives its name."""
    name = state.names.fresh(wish, keep=True)
    state.placed[name] = Placed(Array(name, dtype, tuple(number(n) for n in shape), "local"), space)
    return name
