"""Faults in when and how far data is moved: registers, LDS, loads behind stores, the edges of tiles and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.faults.table import Patch, fault
from tl2hip.hip import matrix
from tl2hip.nest.index import ONE, ZERO, number
from tl2hip.nest.ir import Compare, Load, Set, Stmt, Store, Update
from tl2hip.nest.walk import all_exprs
from tl2hip.plan import threads
from tl2hip.plan.matmul import loop as matmul_loop
from tl2hip.plan.matmul import side as matmul_side
from tl2hip.plan.matrix_ir import FetchFirst, LdsBarrier
from tl2hip.plan.rows import lower as rows_lower

# --- registers that hold what was there a turn ago -------------------------------------------------------


@fault("a fragment is multiplied one turn late", "product in tiles")
def _stale_fragment(patch: Patch) -> None:
    right = matmul_loop.SumLoop._interleaved

    def wrong(self: Any) -> Iterator[Any]:
        turn = list(right(self))
        barrier = max(n for n, s in enumerate(turn) if isinstance(s, LdsBarrier))
        return iter((*turn[: barrier + 1], *turn[barrier + 1 + len(self.sides) :]))

    patch.setattr(matmul_loop.SumLoop, "_interleaved", wrong)


@fault("what was fetched goes to LDS one turn late", "product in tiles")
def _stale_fetch(patch: Patch) -> None:
    right = matmul_loop.SumLoop._write_and_fetch

    def wrong(self: Any) -> Iterator[Any]:
        moved, fetches = list(right(self)), len(self.sides) if self.tile.stages == 1 else 0
        return iter((*moved[fetches:], *moved[:fetches]))

    patch.setattr(matmul_loop.SumLoop, "_write_and_fetch", wrong)


# --- loads that overtake stores --------------------------------------------------------------------------


@fault("LDS is read ahead of what is written to it", "product in tiles")
def _lds_too_early(patch: Patch) -> None:
    right = matmul_loop.SumLoop._interleaved

    def wrong(self: Any) -> Iterator[Any]:
        turn, reads = list(right(self)), len(self.sides)
        first, last = (n for n, s in enumerate(turn) if isinstance(s, LdsBarrier))
        read = turn[last + 1 : last + 1 + reads]
        return iter((*turn[: first + 1], *read, *turn[first + 1 : last + 1], *turn[last + 1 + reads :]))

    patch.setattr(matmul_loop.SumLoop, "_interleaved", wrong)


@fault("a load is moved ahead of the store it depends on", "element read back")
def _overtakes(patch: Patch) -> None:
    right = threads.ThreadCode.lower
    patch.setattr(threads.ThreadCode, "lower", lambda self, body: right(self, _overtaken(body)))


@fault("a load from a row is moved ahead of the store it depends on", "row element read back")
def _overtakes_in_a_row(patch: Patch) -> None:
    _overtakes(patch)


def _overtaken(body: Iterable[Stmt]) -> tuple[Stmt, ...]:
    """The statements, each name that is set from what the one before it stores put before that one."""
    moved = list(body)
    for n in range(1, len(moved)):
        store, load = moved[n - 1], moved[n]
        if isinstance(store, Store | Update) and isinstance(load, Set) and _loads(load, store.array):
            moved[n - 1 : n + 1] = load, store
    return tuple(moved)


def _loads(s: Stmt, array: str) -> bool:
    return any(isinstance(e, Load) and e.array == array for e in all_exprs((s,)))


# --- edges of tiles and rows -----------------------------------------------------------------------------


@fault("what lies past the end of a sum is loaded, not 0", "product in tiles", detect=True)
def _no_zeros(patch: Patch) -> None:
    def wrong(vector: str, slot: Any, array: str, index: Any, count: Any, *rest: Any) -> FetchFirst:
        return FetchFirst(vector, slot, array, index, number(64), *rest)

    patch.setattr(matmul_side, "FetchFirst", wrong)


@fault("an edge tile keeps what is no 0", "product in tiles")
def _no_fill(patch: Patch) -> None:
    right = matrix.first
    filled, kept = "if (e < count)", "if (e >= count)\n            some[e] = 1;\n        else"

    def wrong(*arguments: Any) -> Any:
        found = right(*arguments)
        return replace(found, text=found.text.replace(filled, kept))

    patch.setattr(matrix, "first", wrong)


@fault("a row is taken past its end", "three loops of a row", detect=True)
def _past_the_row(patch: Patch) -> None:
    def wrong(op: str, a: Any, b: Any) -> Compare:
        return Compare(op, ZERO, ONE) if op == "<" else Compare(op, a, b)

    patch.setattr(rows_lower, "Compare", wrong)
