"""Names the plan makes up, distinct from the user's and the same on every run."""

from __future__ import annotations

import re

from tl2hip.nest.ir import Axis, Loop, Nest
from tl2hip.nest.walk import all_stmts

NUMBER = re.compile(r"_\d+(?=_|$)")
"""What makes the name of an axis unique."""


def called(axis: Axis) -> str:
    """What texts call an axis: the user's name, or that of an axis tl2hip made without its number."""
    return axis.user or NUMBER.sub("", axis.name)


def told(axis: Axis) -> str:
    """What reasons call an axis: the user's name, where there is one."""
    return axis.user or "a slice"


class Names:
    """Gives names not in use yet: the wish itself, else the wish with the first free number behind it.

    A name belongs to the kernel in the making, and `next_kernel` frees it, unless it is kept for the whole plan.
    """

    def __init__(self, nest: Nest) -> None:
        self._kept = {nest.name, *nest.dims, *(a.name for a in nest.arrays), *(s.name for s in nest.scalars)}
        self._scalars = {v.name for v in nest.variables}
        self._kept |= self._scalars
        self._kept |= {s.axis.name for s in all_stmts(nest.body) if isinstance(s, Loop)}
        self._here: set[str] = set()

    def fresh(self, wish: str, *, keep: bool = False) -> str:
        """A name nobody has, now taken."""
        name, number = wish, 1
        while name in self._kept or name in self._here:
            number += 1
            name = f"{wish}_{number}"
        (self._kept if keep else self._here).add(name)
        return name

    def local(self, wish: str) -> str:
        """A name nobody has in the whole plan, left free: for a scope with no other of its kind inside."""
        name, number = wish, 1
        while name in self._kept:
            number += 1
            name = f"{wish}_{number}"
        return name

    def scalar(self, name: str) -> bool:
        """Whether a scalar local of the user's has that name."""
        return name in self._scalars

    def keep(self, *names: str) -> None:
        """These are used in more than one kernel."""
        self._kept |= {*names}

    def next_kernel(self) -> None:
        """Another kernel begins, which may use this one's names again."""
        self._here.clear()
