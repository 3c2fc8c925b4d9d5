"""The elements of one array, each with its running bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tl2hip.dtypes import DType
from tl2hip.nest.run import arithmetic as typed
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.lanes import Ints
from tl2hip.prove.sums import opened, size
from tl2hip.prove.values import SIGN_FREE, Bounded, Open, loose, pair

if TYPE_CHECKING:
    from tl2hip.prove.bounded import Bounds


class Cells:
    """The elements of one array. Those that updates have gone into keep what `Open` says until they are read."""

    def __init__(self, bounds: Bounds, values: Values, dtype: DType) -> None:
        self.bounds = bounds
        self.dtype = dtype
        self.typed = values
        self.flags = np.zeros(len(values), np.uint8)
        self.wide = bounds.widened(values) if dtype.is_float else None
        self.error = np.zeros(len(values), bounds.real) if dtype.is_float else None
        self.open: Open | None = None

    def raw(self, offset: Ints) -> Bounded:
        """Elements as they are kept, sums still open."""
        value = Bounded(self.typed[offset], self.flags[offset], self.dtype)
        if self.wide is not None and self.error is not None:
            value.wide, value.error = self.wide[offset], self.error[offset]
        o = self.open
        if o is not None:
            value.open = Open(o.op, 0, o.total[offset], o.count[offset], o.depth[offset], o.whole[offset])
        return value

    def get(self, offset: Ints) -> Bounded:
        """Elements as operands."""
        return self.bounds.read(self.raw(offset))

    def set(self, offset: Ints, value: Bounded) -> None:
        """Elements take values; of a repeated offset the last one stays."""
        pairs = [(self.typed, value.typed), (self.flags, value.flags)]
        if self.wide is not None and self.error is not None:
            assert value.wide is not None and value.error is not None
            pairs += [(self.wide, value.wide), (self.error, value.error)]
        if value.open is not None and self.open is None:
            self._start(value.open.op)
        if self.open is not None:
            o, p = self.open, value.open or opened(value, self.open.op)
            pairs += [(o.total, p.total), (o.count, p.count), (o.depth, p.depth), (o.whole, p.whole)]
        for mine, new in pairs:
            mine[offset] = new[-1:] if len(offset) == 1 < len(new) else new

    def _start(self, op: str) -> None:
        everything = self.raw(np.arange(len(self.typed)))
        fresh = opened(everything, op)
        n = (len(self.typed),)
        columns = (fresh.total, fresh.count, fresh.depth, fresh.whole)
        self.open = Open(op, 0, *(np.array(np.broadcast_to(c, n)) for c in columns))

    def open_at(self, offset: Ints, op: str) -> Bounded:
        """Elements as one more term goes in."""
        if self.open is not None and self.open.op != op:
            self._close()
        if self.open is None:
            self._start(op)
        return self.raw(offset)

    def _close(self) -> None:
        value = self.get(np.arange(len(self.typed)))
        self.open = None
        self.set(np.arange(len(self.typed)), value)

    def add(self, offset: Ints, value: Bounded, depth: int | None) -> None:
        """`+=` at each offset, repeated ones included."""
        if self.open is not None and self.open.op != "+":
            self._close()
        if self.open is None:
            self._start("+")
        o = self.open
        assert o is not None and self.wide is not None and self.error is not None
        y, ey = pair(value)
        typed.update(self.typed, offset, "+", value.typed)
        np.add.at(self.wide, offset, y)
        np.add.at(self.error, offset, ey)
        np.add.at(o.total, offset, size("+", y, ey))
        np.add.at(o.count, offset, 1)
        o.depth[offset] = np.maximum(o.depth[offset], -1 if depth is None else depth)
        np.logical_and.at(o.whole, offset, (ey == 0) & (y == np.floor(y)) & ~loose(value))
        np.bitwise_or.at(self.flags, offset, value.flags | np.uint8(SIGN_FREE))
