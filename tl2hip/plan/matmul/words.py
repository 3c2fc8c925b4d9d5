"""The names that the kernels of a product give to what is theirs, distinct from the user's."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import F32, I64
from tl2hip.nest.ir import AxisRef, Var
from tl2hip.plan.names import Names


@dataclass(frozen=True, slots=True)
class Words:
    """Names of a plan; each is used by all kernels of a product."""

    names: Names

    def name(self, wish: str) -> str:
        """The name for a wish: the same for the same wish."""
        return self.names.local(wish)

    def var(self, wish: str) -> Var:
        """An i64 of that name."""
        return Var(self.name(wish), I64)

    def var32(self, wish: str) -> Var:
        """An f32 of that name."""
        return Var(self.name(wish), F32)

    def index(self, wish: str) -> AxisRef:
        """The variable of a loop of that name."""
        return AxisRef(self.name(wish))
