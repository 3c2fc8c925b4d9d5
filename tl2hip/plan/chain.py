"""Which loops of a nest become the grid, and whether a block or a thread runs what is inside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.ir import Axis, Loop, Stmt
from tl2hip.plan.access import runs_smoothly, unit_stride
from tl2hip.plan.block import inner_loops, inner_scans, shareable
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Chain:
    """The perfectly nested loops at the head of a nest that may all be shared out, and what they enclose."""

    axes: tuple[Axis, ...]
    places: tuple[Span, ...]
    body: tuple[Stmt, ...]

    def lane(self) -> int:
        """Which axis the lanes run along: the one with the most contiguous accesses, the innermost of equals."""
        scores = [unit_stride(self.body, a.name) for a in self.axes]
        return max(range(len(scores)), key=lambda n: (scores[n], n))

    def part(self, numbers: Iterable[int]) -> Chain:
        """Some of its axes, around the same body."""
        chosen = tuple(numbers)
        return Chain(tuple(self.axes[n] for n in chosen), tuple(self.places[n] for n in chosen), self.body)


def head(loop: Loop, kinds: Mapping[str, AxisKind]) -> Chain:
    """The chain that starts with a loop."""
    axes, places, body = [loop.axis], [loop.at], loop.body
    while len(body) == 1 and isinstance(body[0], Loop) and for_grid(body[0], kinds):
        axes.append(body[0].axis)
        places.append(body[0].at)
        body = body[0].body
    return Chain(tuple(axes), tuple(places), body)


def for_grid(loop: Loop, kinds: Mapping[str, AxisKind]) -> bool:
    """Whether a loop's iterations may go to different blocks: none waits for another, and no scalar is reduced
    over it. Updates that meet elsewhere become atomic; those that all meet in one place are better left inside."""
    kind = kinds[loop.axis.name]
    alone = not kind.reductions and not any(u.invariant for u in kind.updates)
    return shareable(loop.axis, kinds) and alone


def cooperation(chain: Chain, kinds: Mapping[str, AxisKind]) -> Literal["thread", "block"]:
    """Whether each point of the chain is run by a thread or by a block.

    A block, if the loops inside can be shared out and more of the traffic is contiguous along one of them than
    along any axis of the chain: lanes side by side should read side by side. A window that slides along an axis of
    the chain (`x[i + k] * w[k]`) is read side by side along that one, too; its few taps are left to each thread.
    """
    inside = (*inner_loops(chain.body, kinds), *inner_scans(chain.body, kinds))
    if not inside:
        return "thread"
    best_inside = max(unit_stride(chain.body, s.axis.name) for s in inside)
    best_outside = max(unit_stride(chain.body, a.name) for a in chain.axes)
    if best_inside <= best_outside:
        return "thread"
    slides = 2 * best_outside >= best_inside and runs_smoothly(chain.body, chain.axes[chain.lane()].name)
    return "thread" if slides else "block"
