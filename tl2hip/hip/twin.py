"""Two functions written at once: a kernel, and another that differs in how it reads memory only.

Both texts come out as if each had been written by itself; what they share is spelled once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from tl2hip.hip.statements import Writer, write
from tl2hip.plan.ir import DeviceKernel, DeviceStmt, Let
from tl2hip.plan.matrix_ir import Fetch, FetchFirst, Window
from tl2hip.plan.walk import bodies

Changes = dict[int, DeviceStmt]
"""What stands in the other kernel in place of a statement of the first, by the statement's `id`."""


def changes(first: DeviceKernel, other: DeviceKernel) -> Changes | None:
    """What is different in another kernel of the same things; None where it does not come down to a few reads."""
    alike = all(_same(first, other, name) for name in ("arrays", "scalars", "block", "places", "local_arrays"))
    found: Changes = {}
    return found if alike and _compared(first.body, other.body, found) else None


def _compared(first: tuple[DeviceStmt, ...], other: tuple[DeviceStmt, ...], found: Changes) -> bool:
    """Whether two bodies differ only in statements that teach the writer the same and quote no line of the user's;
    these are gathered."""
    if len(first) != len(other):
        return False
    for s, t in zip(first, other, strict=True):
        if s is t:
            continue
        match s, t:
            case (Window(), Window()) | (Fetch(), Fetch()):
                found[id(s)] = t
            case (FetchFirst(), FetchFirst()) if not s.at.line and not t.at.line:
                found[id(s)] = t
            case (Let(), Let()) if s.name == t.name and s.value is t.value and not s.at.line and not t.at.line:
                found[id(s)] = t
            case _:
                inside = tuple(zip(bodies(s), bodies(t), strict=False))
                around = type(s) is type(t) and all(_same(s, t, f.name) for f in fields(s) if f.name not in BODIES)
                if not around or not inside or not all(_compared(a, b, found) for a, b in inside):
                    return False
    return True


BODIES = ("body", "then", "orelse")
"""The fields of statements that hold others."""


def _same(a: object, b: object, name: str) -> bool:
    return getattr(a, name) is getattr(b, name)


@dataclass(slots=True)
class Twin(Writer):
    """The lines of a kernel, and of its twin."""

    changed: Changes = field(default_factory=dict)
    apart: list[tuple[int, int, list[str], list[int]]] = field(default_factory=list)
    """Where lines begin and end that the twin has not, those it has there, and the user's that they are from."""

    def write_all(self, body: tuple[DeviceStmt, ...]) -> None:
        for s in body:
            begin = self.began()
            write(s, self)
            self.wrote(s, begin)
            if (other := self.changed.get(id(s))) is not None:
                end = len(self.lines)
                write(other, self)
                self.wrote(other, end)
                self.apart.append((begin, end, self.lines[end:], self.users[end:]))
                del self.lines[end:], self.users[end:]

    @property
    def others(self) -> tuple[list[str], list[int]]:
        """The lines of the twin, and the user's that they are from."""
        lines: list[str] = []
        users: list[int] = []
        at = 0
        for begin, end, instead, theirs in self.apart:
            lines += [*self.lines[at:begin], *instead]
            # What differs is no statement of the user's: in both it is from one around it.
            users += [*self.users[at:begin], *(line or self.users[begin] for line in theirs)]
            at = end
        return [*lines, *self.lines[at:]], [*users, *self.users[at:]]
