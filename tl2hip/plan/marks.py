"""Which marks a plan honoured, and the refusal of those it did not.

A plan tells each mark of an axis and each option of an array that it honours, and leaves a reason where it knows
why it cannot honour one. What no plan of a piece of the program honoured is refused at its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl2hip.nest.ir import Array, Axis, Loop, Mark, Nest, Stmt
from tl2hip.nest.walk import all_stmts
from tl2hip.plan.access import uses
from tl2hip.plan.gfx942 import WAVE
from tl2hip.plan.names import called
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import NOWHERE, Span

TILE = "tile"
"""The name of an axis' tile size among its marks."""

REASONS = {
    "waves": "no waves of a block share it in this plan",
    "lanes": "no lanes share it in this plan",
    "vec": "it is moved one element at a time",
    "stages": "only the loop over the sum of a matrix product is pipelined, `k` of `s += A[i, k] * B[k, j]`",
    "unroll": "its body is not repeated in this plan",
    "serial": "its iterations are shared out",
    "mfma": "only the loop over the sum of a matrix product takes it, `k` of `s += A[i, k] * B[k, j]`",
    "xf32": "only the loop over the sum of a matrix product takes it, `k` of `s += A[i, k] * B[k, j]`",
    "group": "only the tiles of a matrix product are taken in groups, of its rows or of its columns",
    "split": "only the loop over the sum of a matrix product is shared by blocks, `k` of `s += A[i, k] * B[k, j]`",
    TILE: "this plan does not cut it into tiles",
    "lds": "this plan reads it straight from memory",
}


@dataclass(slots=True)
class Honours:
    """The marks honoured so far, by the name of their axis or array, the reasons why others are not, and what is
    refused."""

    kept: set[tuple[str, str]] = field(default_factory=set)
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def honour(self, name: str, *marks: str) -> None:
        """These marks of an axis or an array are honoured."""
        self.kept.update((name, mark) for mark in marks)

    def decline(self, name: str, mark: str, reason: str) -> None:
        """Why a mark is not honoured, unless it is."""
        self.reasons[name, mark] = reason

    def aside(self) -> Honours:
        """As it stands, to be taken up again behind a plan of the last resort, whose honours do not count."""
        return replace(self, kept=set(self.kept), reasons=dict(self.reasons))

    # --- what plans honour alike -------------------------------------------------------------------------

    def walked(self, axis: Axis, why: str = "one thread runs its iterations one after the other") -> None:
        """An axis whose iterations follow one another in a thread or in a block."""
        self.honour(axis.name, TILE, "unroll", "serial")
        self.single(axis, ("waves", "lanes", "vec", "stages"), why)

    def launched(self, axis: Axis) -> None:
        """An axis whose iterations follow one another as launches."""
        self.honour(axis.name, "serial")
        why = "the launcher runs its iterations one after the other, a launch for each"
        for name in (TILE, "unroll"):
            self.decline(axis.name, name, why)
        self.single(axis, ("waves", "lanes", "vec", "stages"), why)

    def single(self, axis: Axis, names: Iterable[str], why: str = "") -> None:
        """An axis for which `waves(1)` and its like say what is done anyway."""
        for name in names:
            if axis.mark(name) == 1:
                self.honour(axis.name, name)
            elif why and name != "stages":
                self.decline(axis.name, name, why)

    def shared(self, axis: Axis, lanes: int, waves: int, width: int) -> None:
        """An axis that so many lanes of so many waves share, of which each moves `width` elements at a time."""
        self.honour(axis.name, TILE, "unroll")
        self.single(axis, ("stages",))
        for name, count, what in (
            ("lanes", lanes, "its neighbouring elements go to {} lanes in this plan"),
            ("waves", waves, "{} of a block share it in this plan"),
            ("vec", width, "a lane moves {} of its elements at a time in this plan"),
        ):
            if axis.mark(name) == count:
                self.honour(axis.name, name)
            else:
                counted = f"{count} wave{'s' * (count > 1)}" if name == "waves" else f"{count}"
                self.decline(axis.name, name, what.format(counted))

    def vectors(self, axis: Axis, width: int) -> None:
        """An axis along which a lane moves `width` elements at a time."""
        self.kept.discard((axis.name, "vec"))
        if axis.mark("vec") == width:
            self.honour(axis.name, "vec")
        else:
            self.decline(axis.name, "vec", f"a lane moves {width} of its elements at a time in this plan")

    def moved(self, arrays: Iterable[Array], width: int) -> None:
        """Arrays of which a lane moves `width` elements at a time."""
        for a in arrays:
            self.kept.discard((a.name, "vec"))
            if vec(a) == width:
                self.honour(a.name, "vec")
            else:
                self.decline(a.name, "vec", f"a lane moves {width} of its elements at a time in this plan")

    # --- what is refused ---------------------------------------------------------------------------------

    def check(self, nest: Nest, body: Iterable[Stmt], why: str = "") -> None:
        """Notes the marks of a piece of the program that its plan did not honour, and forgets what it did: the next
        piece honours those of an array anew. `why`: what kept a faster plan from it."""
        body = tuple(body)
        for s in all_stmts(body):
            if isinstance(s, Loop):
                self.problems += self._of_axis(s, why)
        touched = uses(body)
        for a in nest.arrays:
            if a.name in touched.reads | touched.writes:
                self.problems += self._of_array(a, why)
        self.kept.clear()
        self.reasons.clear()

    def _of_axis(self, s: Loop, why: str) -> Iterator[Problem]:
        for mark in said(s.axis, s.at):
            if (s.axis.name, mark.name) not in self.kept:
                reason = self.reasons.get((s.axis.name, mark.name), REASONS[mark.name]) + why
                yield not_honoured(s.axis, mark, reason)

    def _of_array(self, a: Array, why: str) -> Iterator[Problem]:
        for mark in a.marks:
            if (a.name, mark.name) not in self.kept:
                yield _option(a, mark, self.reasons.get((a.name, mark.name), REASONS[mark.name]) + why)

    def refuse(self, nest: Nest) -> None:
        """Raises Refused for the first mark, in the order of the text, that was not honoured."""
        touched = uses(nest.body)
        idle = (a for a in nest.arrays if a.marks and a.name not in touched.reads | touched.writes)
        self.problems += (_option(a, a.marks[0], "nothing in the kernel uses it") for a in idle)
        if self.problems:
            raise Refused(min(self.problems, key=lambda p: p.at))


def _option(a: Array, mark: Mark, reason: str) -> Problem:
    from tl2hip.source.problems.marks import OptionNotHonoured

    return OptionNotHonoured(mark.text, a.name, reason, f"take {mark.text} out", at=mark.at)


def not_honoured(axis: Axis, mark: Mark, reason: str, way: str = "") -> Problem:
    """The refusal of a mark of an axis."""
    from tl2hip.source.problems.marks import MarkNotHonoured

    out = "take the tile size out" if mark.name == TILE else f"take {mark.text} out"
    return MarkNotHonoured(mark.text, called(axis), reason, way or out, at=mark.at)


def said(axis: Axis, at: Span) -> tuple[Mark, ...]:
    """All that the user said of an axis, its tile size as a mark of the name `tile`. `at`: the place of its loop,
    which stands for that of a tile size set from outside."""
    if axis.tile is None:
        return axis.marks
    where = at if axis.tile_at == NOWHERE else axis.tile_at
    return (Mark(TILE, axis.tile, at=where, word=f"the tile of {axis.tile}"), *axis.marks)


def vec(a: Array) -> int | None:
    """The elements of an array that are to be moved at a time; None where the user says nothing."""
    return next((m.value for m in a.marks if m.name == "vec"), None)


def width(axis: Axis, arrays: Sequence[Array], most: int) -> int:
    """Elements that a lane moves at a time along an axis: as many as the user says, as long as an access can move
    them, else the most that its tile leaves for its waves. `arrays` are those that move. What is not followed is
    refused in the end."""
    shares = (axis.mark("waves") or 1) * (axis.mark("lanes") or WAVE)
    while axis.marks and axis.tile and most > 1 and axis.tile % (shares * most) and axis.tile % shares == 0:
        most //= 2
    smallest = min((a.dtype.bytes for a in arrays), default=1)
    most = most if most * smallest >= 4 else 1
    wanted = next((n for n in (axis.mark("vec"), *map(vec, arrays)) if n is not None), most)
    return wanted if wanted == 1 or (wanted <= most and wanted * smallest >= 4) else most


def threads(axes: Sequence[Axis], fitting: Sequence[int]) -> tuple[int, ...] | None:
    """Threads along axes, those of which lanes lie side by side first: as many as their `lanes(n)` and `waves(n)`
    say, what is left of a wave to the first axes that say nothing. None where no axis says anything. `fitting`:
    the threads that each can use."""
    lanes, waves = [a.mark("lanes") for a in axes], [a.mark("waves") for a in axes]
    if not any((*lanes, *waves)):
        return None
    left = WAVE
    for n in lanes:
        left //= min(left, n or 1)
    found = []
    for n, w, most in zip(lanes, waves, fitting, strict=True):
        own = n or min(left, most)
        left = left if n else max(1, left // own)
        found.append(own * (w or 1))
    return tuple(found)


def of_block(counts: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Lanes of a wave and waves along each axis, for threads of a block along them; lanes lie side by side along
    the first."""
    left, found = WAVE, []
    for n in counts:
        lanes = min(left, n)
        left = max(1, left // lanes)
        found.append((lanes, max(1, n // lanes)))
    return tuple(found)


def unmarked(axis: Axis) -> Axis:
    """The axis without marks that say how a fast plan shares it out, for the plan of the last resort."""
    return replace(axis, marks=tuple(m for m in axis.marks if m.name in ("unroll", "serial")))
