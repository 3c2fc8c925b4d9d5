"""Where each reduction of an article kernel is computed: in which loops, as one value or as an array of them.

Stores whose indices contain each other share one nest. A reduction stands in the outermost loops that are all
among its own indices. One that is needed at other indices too is an array over these; one that only a single
other reduction needs stands inside that one's loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tl2hip.dialects.article.tiles import Index, Reduction, Store, reductions

Order = tuple[Index, ...]


@dataclass(slots=True, eq=False)
class Placed:
    """One reduction: `opened` are the loops around it, `extra` those of the array it is, if any.

    `level` counts the loops of the nest around it. `inner` are the reductions computed inside its own
    loops, each with how many of these are around it.
    """

    reduction: Reduction
    opened: Order
    level: int
    extra: Order = ()
    inner: list[tuple[int, Placed]] = field(default_factory=list)

    @property
    def loops(self) -> Order:
        return (*self.extra, *self.reduction.over)


@dataclass(frozen=True, slots=True)
class Nest:
    """Stores that share their loops, `order` outermost first, and the reductions at each level."""

    stores: tuple[Store, ...]
    order: Order
    placed: tuple[Placed, ...]


def groups(stores: list[Store]) -> Iterator[tuple[Store, ...]]:
    """The stores in order, those side by side that can share their loops together."""
    group: list[Store] = []
    for store in stores:
        if group and not all(_share(store, other) for other in group):
            yield tuple(group)
            group = []
        group.append(store)
    if group:
        yield tuple(group)


def _share(a: Store, b: Store) -> bool:
    one, two = set(a.view.axes), set(b.view.axes)
    return a.view.tensor is not b.view.tensor and (one <= two or two <= one)


def arrange(stores: tuple[Store, ...]) -> Nest:
    """The loops of some stores and the place of each reduction in them."""
    every = _every(stores)
    order = _order(stores, every)
    levels = {id(store): len(store.view.axes) for store in stores}
    users: dict[Reduction, list[Store | Reduction]] = {r: [] for r in every}
    for store in stores:
        for r in reductions(store.value):
            users[r].append(store)
    for user in every:
        for r in reductions(user.body):
            users[r].append(user)
    found: dict[Reduction, Placed] = {}
    at_levels: list[Placed] = []
    for r in reversed(every):
        hosts = [found[u] for u in users[r] if isinstance(u, Reduction)]
        limit = min([h.level for h in hosts] + [levels[id(u)] for u in users[r] if isinstance(u, Store)])
        found[r] = _place(r, order, limit, hosts if len(hosts) == len(users[r]) == 1 else [])
        if not any(placed is found[r] for h in hosts for _, placed in h.inner):
            at_levels.append(found[r])
    return Nest(stores, order, tuple(reversed(at_levels)))


def _place(r: Reduction, order: Order, limit: int, host: list[Placed]) -> Placed:
    level = 0
    while level < limit and order[level] in r.axes:
        level += 1
    extra = tuple(axis for axis in r.axes if axis not in order[:level])
    if extra and host:
        inside = _inside(r, host[0])
        if inside is not None:
            return inside
    return Placed(r, order[:level], level, extra)


def _inside(r: Reduction, host: Placed) -> Placed | None:
    """The place in another reduction's loops; None where a loop over the same index is around already."""
    for depth in range(len(host.loops) + 1):
        opened = (*host.opened, *host.loops[:depth])
        if set(r.axes) <= set(opened):
            if set(r.over) & set(opened):
                return None
            placed = Placed(r, opened, host.level)
            host.inner.insert(0, (depth, placed))
            return placed
    return None


def _every(stores: tuple[Store, ...]) -> list[Reduction]:
    """All reductions, each after those in it."""
    found: dict[Reduction, None] = {}

    def visit(r: Reduction) -> None:
        if r not in found:
            for inner in reductions(r.body):
                visit(inner)
            found[r] = None

    for store in stores:
        for r in reductions(store.value):
            visit(r)
    return list(found)


def _order(stores: tuple[Store, ...], every: list[Reduction]) -> Order:
    """The loops, so that each store and, where it can be, each reduction has the outermost of them."""
    widest = max(stores, key=lambda s: len(s.view.axes)).view.axes
    wanted = [set(s.view.axes) for s in stores]
    parts = sorted((set(r.axes) for r in every if set(r.axes) <= set(widest)), key=len)
    wanted += [p for p in parts if all(p <= s or s <= p for s in wanted)]
    order: list[Index] = []
    for part in sorted(wanted, key=len):
        if set(order) <= part:
            order += [axis for axis in widest if axis in part and axis not in order]
    return (*order, *(axis for axis in widest if axis not in order))
