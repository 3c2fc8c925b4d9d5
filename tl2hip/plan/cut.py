"""Axes of a nest on the grid, with no loops in the kernel: where a grid is too small, there are more launches."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, add, ceil_div, minimum, mul, number, sub, trip_count
from tl2hip.nest.ir import Axis, AxisRef, Expr, Var
from tl2hip.plan.gfx942 import MAX_GRID_X, MAX_GRID_YZ
from tl2hip.plan.ir import HostLoop, HostStmt, Launch
from tl2hip.plan.launch import LETTERS
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Cut:
    """How an axis goes to the grid: `tile` of its values to a block along `letter`; without a letter a block takes
    all, or each thread one after the other. A launch has as many blocks as the grid can have, from `start` on,
    which is the variable of a loop of the launcher where there may be more."""

    axis: Axis
    at: Span
    tile: int
    letter: str = ""
    loop: str = ""

    @property
    def most(self) -> int:
        """Blocks of a launch, at most."""
        return MAX_GRID_X if self.letter == "x" else MAX_GRID_YZ

    @property
    def start(self) -> Expr:
        return AxisRef(self.loop) if self.loop else self.axis.start

    @property
    def blocks(self) -> Expr:
        if self.loop:
            count = ceil_div(sub(self.axis.stop, self.start), self.tile * self.axis.step)
        else:
            count = ceil_div(trip_count(self.axis.start, self.axis.stop, self.axis.step), self.tile)
        return minimum(count, number(self.most))

    @property
    def here(self) -> Expr:
        """The first of this block's."""
        return add(self.start, mul(Var(f"block.{self.letter}", I64), number(self.tile * self.axis.step)))


def launches(kernel: str, cuts: tuple[Cut, ...]) -> tuple[HostStmt, ...]:
    """The launches for all tiles."""
    counts = {c.letter: c.blocks for c in cuts}
    x, y, z = (counts.get(letter, ONE) for letter in LETTERS)
    done: HostStmt = Launch(kernel, (x, y, z))
    for c in reversed(cuts):
        if c.loop:
            done = HostLoop(c.loop, c.axis.start, c.axis.stop, c.most * c.tile * c.axis.step, (done,))
    return (done,)
