"""Basic blocks of assembly code and the natural loops among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

BRANCH_TARGET = re.compile(r"^s_c?branch\w*\s+(\.?\w+)")
ENDS_HERE = ("s_branch", "s_endpgm", "s_setpc")


@dataclass(frozen=True, slots=True)
class Block:
    """Straight code: its first label (or ""), its instructions, and the blocks that may follow."""

    label: str
    code: tuple[str, ...]
    next: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NaturalLoop:
    """A header that dominates all its blocks, each of which can come back to it."""

    header: int
    blocks: frozenset[int]


def read_blocks(code: Sequence[str]) -> tuple[Block, ...]:
    """Cut lines of labels (`name:`) and instructions into blocks; the first one is the entry."""
    pieces: list[tuple[list[str], list[str]]] = [([], [])]
    for line in code:
        labels, body = pieces[-1]
        if line.endswith(":"):
            if body:
                pieces.append(([], []))
            pieces[-1][0].append(line[:-1])
        else:
            body.append(line)
            if line.startswith(("s_branch", "s_cbranch", "s_endpgm", "s_setpc")):
                pieces.append(([], []))
    places = {label: at for at, (labels, _) in enumerate(pieces) for label in labels}
    blocks = []
    for at, (labels, body) in enumerate(pieces):
        last = body[-1] if body else ""
        following = [] if last.startswith(ENDS_HERE) or at + 1 == len(pieces) else [at + 1]
        target = BRANCH_TARGET.match(last)
        if target and target[1] in places:
            following.append(places[target[1]])
        blocks.append(Block(labels[0] if labels else "", tuple(body), tuple(following)))
    return tuple(blocks)


def find_loops(blocks: Sequence[Block]) -> tuple[NaturalLoop, ...]:
    """The natural loops, outer ones before those inside them; loops with one header are one."""
    order = _reverse_postorder(blocks)
    before: dict[int, list[int]] = {at: [] for at in order}
    for at in order:
        for to in blocks[at].next:
            before[to].append(at)
    parent = _dominators(order, before)
    bodies: dict[int, set[int]] = {}
    for at in order:
        for header in blocks[at].next:
            if _dominates(header, at, parent):
                bodies.setdefault(header, {header}).update(_body(header, at, before))
    loops = [NaturalLoop(header, frozenset(body)) for header, body in bodies.items()]
    return tuple(sorted(loops, key=lambda loop: (-len(loop.blocks), loop.header)))


def _reverse_postorder(blocks: Sequence[Block]) -> list[int]:
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(blocks[0].next))]
    while stack:
        at, following = stack[-1]
        to = next((block for block in following if block not in seen), None)
        if to is None:
            order.append(at)
            stack.pop()
        else:
            seen.add(to)
            stack.append((to, iter(blocks[to].next)))
    return order[::-1]


def _dominators(order: Sequence[int], before: dict[int, list[int]]) -> dict[int, int]:
    """The immediate dominator of each block, by the iteration of Cooper, Harvey and Kennedy."""
    number = {block: at for at, block in enumerate(order)}
    parent = {order[0]: order[0]}

    def common(x: int, y: int) -> int:
        while x != y:
            if number[x] < number[y]:
                x, y = y, x
            x = parent[x]
        return x

    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [one for one in before[block] if one in parent]
            new = known[0]
            for one in known[1:]:
                new = common(new, one)
            if parent.get(block) != new:
                parent[block] = new
                changed = True
    return parent


def _dominates(header: int, block: int, parent: dict[int, int]) -> bool:
    while block != header:
        if parent[block] == block:
            return False
        block = parent[block]
    return True


def _body(header: int, tail: int, before: dict[int, list[int]]) -> set[int]:
    """The blocks that reach `tail` without passing the header."""
    found = {header}
    stack = [tail]
    while stack:
        block = stack.pop()
        if block not in found:
            found.add(block)
            stack.extend(before[block])
    return found
