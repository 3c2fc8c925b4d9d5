"""Names the plan makes up, distinct from the user's and the same on every run."""

from __future__ import annotations

from tl2hip.nest.ir import Loop, Nest
from tl2hip.nest.walk import all_stmts


class Names:
    """Gives names not in use yet: the wish itself, else the wish with the first free number behind it."""

    def __init__(self, nest: Nest) -> None:
        self._taken = {nest.name, *nest.dims, *(a.name for a in nest.arrays), *(s.name for s in nest.scalars)}
        self._taken |= {v.name for v in nest.variables}
        self._taken |= {s.axis.name for s in all_stmts(nest.body) if isinstance(s, Loop)}

    def fresh(self, wish: str) -> str:
        """A name nobody has, now taken."""
        name, number = wish, 1
        while name in self._taken:
            number += 1
            name = f"{wish}_{number}"
        self._taken.add(name)
        return name
