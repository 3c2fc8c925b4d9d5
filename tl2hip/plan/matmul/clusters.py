"""How a step of the sum is cut into clusters, in which two groups of waves take turns.

Each cluster is first one of memory and LDS, then one of matrix instructions. The groups are one such half apart:
while one group multiplies, the other, whose waves are on the same SIMDs, reads, writes and fetches (ping-pong,
gfx942.md 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Block = tuple[int, int]
"""A slice of a step and a part of its pieces: what one matrix instruction for each pair of fragments takes."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The slices whose fragments are read, then the products."""

    reads: tuple[int, ...]
    blocks: tuple[Block, ...]


MOST = 4
"""Clusters of a step: each long enough for the accesses of the other group to be hidden beneath it."""


def clusters(slices: int, parts: int) -> tuple[Cluster, ...]:
    """Two to four clusters of as many products, of which the last reads nothing.

    There the next tile is written to LDS, which every wave must have read by then: what the last one multiplies
    is read in the one before. Any other that would read nothing is one with that before.

    >>> [(c.reads, len(c.blocks)) for c in clusters(2, 2)], [c.reads for c in clusters(4, 2)]
    ([((0,), 2), ((1,), 1), ((), 1)], [(0,), (1,), (2, 3), ()])
    """
    blocks = [(s, p) for s in range(slices) for p in range(parts)]
    count = min(MOST, len(blocks))
    bounds = [n * len(blocks) // count for n in range(count + 1)]
    shares = [tuple(blocks[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]
    first = {s: next(c for c in range(count) if (s, 0) in shares[c]) for s in range(slices)}
    read = {s: min(c, count - 2) for s, c in first.items()}
    found: list[Cluster] = []
    for c, share in enumerate(shares):
        reads = tuple(s for s in read if read[s] == c)
        if found and not reads and c < count - 1:
            found[-1] = replace(found[-1], blocks=(*found[-1].blocks, *share))
        else:
            found.append(Cluster(reads, share))
    return tuple(found)


def held(cut: tuple[Cluster, ...]) -> int:
    """Of how many slices fragments are in registers at once, at most.

    >>> held(clusters(2, 2)), held(clusters(4, 2))
    (1, 2)
    """
    most, there = 0, set[int]()
    for n, cluster in enumerate(cut):
        there |= set(cluster.reads)
        most = max(most, len(there))
        there &= {s for later in cut[n + 1 :] for s, _ in later.blocks}
    return most
