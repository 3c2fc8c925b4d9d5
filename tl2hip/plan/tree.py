"""How a reduction is shared out over threads and blocks, and how many additions that takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """How a reduction over one axis is shared out: over `threads` threads of each of up to `blocks` blocks.

    A thread takes `width` terms side by side at a time. `fewest`: blocks that each reduction has at least, where
    its terms are enough; None where these are `blocks`. `others`: what other kernels of the launcher do, each for
    `least` to `most` terms.
    """

    threads: int
    blocks: int = 1
    width: int = 1
    least: int = 0
    most: int | None = None
    others: tuple[Tree, ...] = ()
    fewest: int | None = None

    def depth(self, n: int) -> int:
        """The most additions that one of n terms goes through, for the running bound.

        A thread adds its share one after the other; a wave folds 64 lanes in 6 steps, a block its waves one
        by one; the partials of several blocks are added up in the same way by one block.
        """
        pieces = -(-n // self.width)
        rounds = -(-pieces // self.threads)
        blocks = max(1, min(self.blocks, rounds))
        fewest = max(1, min(self.fewest or self.blocks, rounds))
        inside = -(-rounds // fewest) * self.width + _fold(self.threads)
        over = -(-blocks // 256) + _fold(256) if self.blocks > 1 else 0
        others = (o.depth(n) for o in self.others if o.least <= n and (o.most is None or n <= o.most))
        return max(inside + over + 1, *others, 0)


def _fold(threads: int) -> int:
    return 6 + threads // 64
