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
        others = (o.depth(n) for o in self.others if o.least <= n and (o.most is None or n <= o.most))
        return max(self._own(n), *others, 0)

    def _own(self, n: int) -> int:
        pieces = -(-n // self.width)
        rounds = -(-pieces // self.threads)
        blocks = max(1, min(self.blocks, rounds))
        fewest = max(1, min(self.fewest or self.blocks, rounds))
        inside = -(-rounds // fewest) * self.width + _fold(self.threads)
        over = -(-blocks // 256) + _fold(256) if self.blocks > 1 else 0
        return inside + over + 1


@dataclass(frozen=True, slots=True)
class ScanTree(Tree):
    """How a scan is shared out: a thread takes `width` terms of a tile, a block a chunk of the tiles; up to `few`
    terms are one block's.

    A term goes through its thread's run, the threads of its block and the tiles of the chunk behind it, and through
    the run of the thread that reads it. One of an earlier chunk goes through its thread's share of that chunk and
    the threads of a block, then through as many again for the parts of the chunks.
    """

    few: int = 0

    def _own(self, n: int) -> int:
        tiles = -(-n // (self.threads * self.width))
        blocks = max(1, min(self.blocks, tiles))
        chunk = tiles if n <= self.few else -(-tiles // blocks)
        share = chunk * self.width + _fold(self.threads)
        parts = -(-blocks // self.threads) + _fold(self.threads)
        return share + parts + 1 + chunk + 1 + self.width


@dataclass(frozen=True, slots=True)
class SliceTree(Tree):
    """A sum in up to `blocks` slices of whole steps of `width` terms: those of a slice are added one after the
    other, then the slices are."""

    def _own(self, n: int) -> int:
        steps = -(-n // self.width)
        each = -(-steps // self.blocks)
        return min(n, each * self.width) + -(-steps // max(1, each)) + 1


def _fold(threads: int) -> int:
    return 6 + threads // 64
