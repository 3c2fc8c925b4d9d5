"""A row that registers do not hold: each loop walks it piece by piece, several vectors of a lane under way.

A lane has the same elements in every loop, so that what one loop stores another one loads without a barrier. What
no later loop wants is streamed; the rest comes from caches the next time. The elements behind the last whole vector
are taken one by one, so that rows may be of any length.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE, ZERO, add, floor_div, mul, number, sub, value_of
from tl2hip.nest.ir import Axis, AxisRef, Expr, Loop, Var
from tl2hip.plan.access import uses
from tl2hip.plan.ir import Barrier, DeclareVector, DeviceStmt, For, Form
from tl2hip.plan.rows.find import Held, of_loop
from tl2hip.plan.rows.lower import THREAD, Body, RowCode


@dataclass(slots=True)
class PieceCode(RowCode):
    """Lowers a row for a size in pieces. `around`: the axes that turn around it."""

    around: tuple[Axis, ...] = ()
    _alone: bool = field(default=False, init=False)
    _later: frozenset[str] = field(default=frozenset(), init=False)

    def lower(self, again: bool) -> tuple[DeviceStmt, ...]:
        """The statements of one row; `again`: the block goes on to another one."""
        body: list[DeviceStmt] = []
        whole = self.row
        for n, s in enumerate(whole.body):
            if not isinstance(s, Loop):
                body += self._between(s)
                continue
            self.row = replace(whole, held=of_loop(self.state, whole, s, self.around))
            self.vectors = {}
            for h in self.row.held:
                self.vectors[h.place] = self._declared(h)
            later = uses(whole.body[n + 1 :])
            self._later = later.reads | later.writes
            body += self._loop(s, 0)
        self.row = whole
        if again and self._meetings == 1:
            body.append(Barrier("the next row uses the LDS again"))
        return tuple(body)

    def _walk(self, s: Loop, code: Body) -> tuple[DeviceStmt, ...]:
        """Whole pieces, of which all loads go first, then single vectors, then single elements."""
        extent, reach, width = self.row.extent, self.size.most, self.size.width
        cut = mul(floor_div(extent, reach), number(reach))
        first = Var(self._first, I64)
        rest: list[DeviceStmt] = []
        known = value_of(extent)
        if (known or 1) % reach and self.size.vectors > 1:
            self._alone = True
            end = extent if self._whole else sub(extent, number(width - 1))
            step = number(self.size.lanes * width)
            rest.append(For(self._piece, add(cut, first), end, step, self._vectors(code), unroll=1))
            self._alone = False
        if not self._whole:
            begin = add(mul(floor_div(extent, width), number(width)), THREAD)
            note, one = "behind the last whole vector", number(self.size.lanes)
            rest.append(For(s.axis.name, begin, extent, one, code.element(), unroll=1, note=note))
        end = cut if self.size.vectors > 1 else extent if self._whole else sub(extent, number(width - 1))
        pieces = For(self._piece, first, end, number(reach), self._vectors(code), at=s.at)
        return (pieces, *rest)

    def _vectors(self, code: Body) -> tuple[DeviceStmt, ...]:
        """One turn: loads, then elements and stores."""
        declared = tuple(DeclareVector(self.vectors[h.place]) for h in self.row.held)
        loads = tuple(x for h in self.row.held if h.loaded for x in self._moves(h, store=False))
        if loads:
            loads = self._each(loads, "all loads of a piece are under way together")
        return (*declared, *loads, *self._each(code.vector()))

    @property
    def _piece(self) -> str:
        return self.state.names.local("piece")

    @property
    def _whole(self) -> bool:
        """Whether a row is surely whole vectors."""
        return (value_of(self.row.extent) or 1) % self.size.width == 0

    def _slot(self) -> tuple[Expr, ...]:
        """Which vector of a piece: the one there is, or the first."""
        return (AxisRef(self._v),) if self.size.vectors > 1 and not self._alone else (ZERO,)

    def _here(self) -> Expr:
        """The first element of a vector."""
        first: Expr = AxisRef(self._piece)
        single = self._alone or self.size.vectors == 1
        return first if single else add(first, mul(AxisRef(self._v), number(self.size.step)))

    def _each(self, body: tuple[DeviceStmt, ...], note: str = "") -> tuple[DeviceStmt, ...]:
        """A body for each vector of a piece."""
        if self._alone or self.size.vectors == 1:
            return body
        many = self.size.vectors
        return (For(self._v, ZERO, number(many), ONE, body, unroll=many, small=True, note=note),)

    def _streamed(self, h: Held) -> bool:
        """Whether an array is not wanted again soon."""
        return RowCode._streamed(self, h) and h.array not in self._later

    def _form(self) -> Form:
        """How a column is held: a row may be longer than 32 bits tell."""
        return ""
