"""How a running softmax is shared out, for the running bound."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.plan.tree import Tree

RESCALE = 4
"""Roundings of a rescale: the exponential of a difference, one unit or so of which the difference has, and the
product with it."""


@dataclass(frozen=True, slots=True)
class RunningTree(Tree):
    """A sum that comes to a new maximum at each step.

    Each of `waves` waves of a block takes `step` terms at a time, one after the other, behind a rescale. Parts, of
    the waves and of up to `slices` blocks, are rescaled and added up one by one.
    """

    step: int = 1
    waves: int = 1
    slices: int = 1

    def _own(self, n: int) -> int:
        steps = -(-n // (self.step * self.waves))
        parts = self.waves + min(self.slices, steps)
        return steps * (self.step + RESCALE) + parts + 2 * RESCALE
