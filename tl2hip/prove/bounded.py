"""Values with running bounds: what `prove.bound` runs a nest on.

Each value holds what a typed run gives and, for floats, the same carried in a wide float with a bound on how far
a kernel may lie from it. As long as only operations that a kernel must do bit for bit went into a value, it is
exact: the typed value is the only right one, and comparisons and floors of it are decided. A sum that a plan may
reorder, or an approximate function, makes it inexact; then the wide value and the bound stand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tl2hip.dtypes import BOOL, F64, I64, U32, DType
from tl2hip.nest.run import arithmetic as typed
from tl2hip.nest.run.arithmetic import TESTS, Values, numpy_type
from tl2hip.nest.run.folds import Runs
from tl2hip.nest.run.lanes import Bools, Ints, pick_lanes, put_lanes
from tl2hip.prove import asked, folds, interval, joined
from tl2hip.prove.cells import Cells
from tl2hip.prove.sums import closed, opened, size
from tl2hip.prove.values import (
    APPROXIMATE,
    INEXACT,
    NO_FLAGS,
    REORDERED,
    SIGN_FREE,
    SIGNED_ZEROS,
    SLACK,
    UNDECIDED,
    UNKNOWN,
    UNSET,
    Bounded,
    Open,
    either_sign,
    fusable,
    loose,
    overflowed,
    pair,
    smallest,
    ulps_of,
    unit,
)

CORRECTLY_ROUNDED = frozenset({"sqrt", "floor", "ceil", "trunc", "rint", "fmod", "copysign"})
"""Functions that a kernel gives bit for bit."""


class Bounds:
    """The arithmetic of bounded values; `real` is the wide float type.

    With `python` they bound what plain Python gives for single numbers: its `**` is a function of C where a
    kernel multiplies, and it takes roots in f64 where a kernel takes them in f32.
    """

    certain = False

    def __init__(self, real: type[np.floating[Any]], python: bool = False) -> None:
        self.real = real
        self.python = python
        self.epsilon = float(np.finfo(real).eps)

    # --- making and moving values

    def exact(self, values: Values, flags: Values, dtype: DType) -> Bounded:
        """A value known bit for bit."""
        if not dtype.is_float:
            return Bounded(values, flags, dtype)
        return Bounded(values, flags, dtype, self.widened(values), np.zeros(1, self.real))

    def widened(self, values: Values) -> Values:
        if values.dtype.itemsize < 4:  # ml_dtypes converts to f64 but not to long double
            values = values.astype(np.float64)
        return values.astype(self.real)

    def constant(self, value: int | float | bool, dtype: DType) -> Bounded:
        return self.exact(typed.constant(value, dtype), NO_FLAGS, dtype)

    def whole(self, values: Ints) -> Bounded:
        return Bounded(values, NO_FLAGS, I64)

    def integers(self, value: Bounded) -> Ints:
        return value.typed

    def truth(self, value: Bounded) -> Bools:
        return value.typed

    def doubt(self, value: Bounded) -> Bools | None:
        unsure = (value.flags & UNKNOWN) != 0
        return unsure if unsure.any() else None

    def tainted(self, value: Bounded, where: Bools) -> Bounded:
        flags = value.flags | np.where(where, np.uint8(UNDECIDED), np.uint8(0))
        return Bounded(value.typed, flags, value.dtype, value.wide, value.error, value.open)

    def take(self, value: Bounded, pick: Ints) -> Bounded:
        o = value.open
        if o is not None:
            o = Open(o.op, o.entry, *(pick_lanes(a, pick) for a in (o.total, o.count, o.depth, o.whole)))
        return Bounded(
            pick_lanes(value.typed, pick),
            pick_lanes(value.flags, pick),
            value.dtype,
            None if value.wide is None else pick_lanes(value.wide, pick),
            None if value.error is None else pick_lanes(value.error, pick),
            o,
        )

    def put(self, old: Bounded | None, pick: Ints, new: Bounded, n: int) -> Bounded:
        if old is None:
            old = self.exact(np.zeros(1, new.typed.dtype), NO_FLAGS, new.dtype)
        wide = error = None
        if old.wide is not None and new.wide is not None and old.error is not None and new.error is not None:
            wide = put_lanes(old.wide, pick, new.wide, n)
            error = put_lanes(old.error, pick, new.error, n)
        return Bounded(
            put_lanes(old.typed, pick, new.typed, n),
            put_lanes(old.flags, pick, new.flags, n),
            new.dtype,
            wide,
            error,
            self._put_open(old, pick, new, n),
        )

    def _put_open(self, old: Bounded, pick: Ints, new: Bounded, n: int) -> Open | None:
        one = new.open or old.open
        if one is None:
            return None
        a, b = old.open or opened(old, one.op), new.open or opened(new, one.op)
        pairs = ((a.total, b.total), (a.count, b.count), (a.depth, b.depth), (a.whole, b.whole))
        return Open(one.op, one.entry, *(put_lanes(x, pick, y, n) for x, y in pairs))

    # --- exact and inexact lanes

    def decided(self, value: Bounded) -> interval.Pair:
        """The same for taking decisions: an exact value is what a typed run gives, without a bound."""
        wide, error = pair(value)
        inexact = loose(value)
        if inexact.all():
            return wide, error
        return np.where(inexact, wide, self.widened(value.typed)), np.where(inexact, error, 0.0)

    def _rounded(
        self, result: Values, at: interval.Pair, flags: Values, dtype: DType, ulps: float | Values
    ) -> Bounded:
        """The result of a float operation that is off by at most `ulps` units in the last place."""
        wide, error = at
        step = SLACK * 2 * ulps * unit(dtype) * (np.abs(wide) + error) + smallest(dtype) * (2 * ulps)
        grown = np.where(np.isfinite(wide), error + step, error)
        if np.min(ulps) <= 0.5:
            gap = np.where(self.widened(result) == wide, 0.0, np.abs(self.widened(result) - wide))
            same = np.isnan(wide) & np.isnan(result.astype(np.float64))
            gap = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
            grown = np.where((error == 0) & ((flags & INEXACT) == 0), gap, grown)
        wide, grown = overflowed(result, wide, grown, flags, dtype)
        return Bounded(result, flags, dtype, wide, grown)

    # --- operations

    def read(self, value: Bounded) -> Bounded:
        return value if value.open is None else closed(value, value.open, self.epsilon)

    def unary(self, op: str, value: Bounded, dtype: DType) -> Bounded:
        result = np.asarray(typed.UNARY[op](value.typed))
        if value.wide is None or op == "not":
            return Bounded(result, value.flags, dtype)
        wide = -value.wide if op == "-" else np.abs(value.wide)
        return Bounded(result, value.flags, dtype, wide, value.error)

    def binary(self, op: str, a: Bounded, b: Bounded, dtype: DType) -> Bounded:
        result = typed.binary(op, a.typed, b.typed)
        flags = a.flags | b.flags
        if not dtype.is_float:
            return Bounded(result, flags, dtype)
        if op in ("min", "max", "minimum", "maximum", "fmin", "fmax"):
            wide, error = interval.binary(op, pair(a), pair(b))
            return Bounded(result, flags | np.uint8(SIGN_FREE), dtype, wide, error)
        if op in ("//", "%"):
            at = interval.binary(op, self.decided(a), self.decided(b))
            return either_sign(self._stepped(self._rounded(result, at, flags, dtype, 0.5), at), b)
        at = interval.binary(op, pair(a), pair(b))
        if op == "**":
            power = self._rounded(result, at, flags | np.uint8(APPROXIMATE), dtype, ulps_of("pow", dtype))
            return either_sign(power, a)
        ulps: float | Values = 0.5
        if op == "*" and self.python:
            squares = a.typed == b.typed
            flags = flags | np.where(squares, np.uint8(APPROXIMATE), np.uint8(0))
            ulps = np.where(squares, ulps_of("pow", dtype), 0.5)
        rounded = self._rounded(result, at, flags, dtype, ulps)
        if op == "/":
            return either_sign(rounded, b)
        return fusable(rounded, at[0]) if op == "*" else rounded

    def _stepped(self, value: Bounded, at: interval.Pair) -> Bounded:
        """A jump that the bounds straddle leaves its lanes undecided; exact ones are what a typed run gives."""
        assert value.wide is not None and value.error is not None
        inexact = loose(value)
        value.wide = np.where(inexact, value.wide, self.widened(value.typed))
        value.error = np.where(inexact, value.error, 0.0)
        jumped = inexact & np.isinf(at[1])
        value.flags = value.flags | np.where(jumped, np.uint8(UNDECIDED), np.uint8(0))
        return value

    def compare(self, op: str, a: Bounded, b: Bounded) -> Bounded:
        result = np.asarray(typed.COMPARE[op](a.typed, b.typed))
        flags = (a.flags | b.flags) & np.uint8(UNKNOWN)
        if a.wide is None or b.wide is None:
            return Bounded(result, flags, BOOL)
        inexact = loose(a) | loose(b)
        if not inexact.any():
            return Bounded(result, flags, BOOL)
        (x, ex), (y, ey) = self.decided(a), self.decided(b)
        error = ex + ey
        meet = inexact & (error > 0) & ~(np.abs(x - y) > error) & ~(np.isnan(x) | np.isnan(y))
        meet = meet | (inexact & np.isinf(error))
        chosen = np.where(inexact, typed.COMPARE[op](x, y), result)
        return Bounded(chosen, flags | np.where(meet, np.uint8(UNDECIDED), np.uint8(0)), BOOL)

    def logic(self, op: str, a: Bounded, b: Bounded) -> Bounded:
        result = typed.binary(op, a.typed, b.typed)
        open_a, open_b = (a.flags & UNKNOWN) != 0, (b.flags & UNKNOWN) != 0
        passes_a, passes_b = (a.typed, b.typed) if op == "and" else (~a.typed, ~b.typed)
        unsure = (open_a & open_b) | (open_a & passes_b) | (open_b & passes_a)
        return Bounded(result, np.where(unsure, np.uint8(UNDECIDED), np.uint8(0)), BOOL)

    def either(self, test: Bounded, then: Bounded, orelse: Bounded) -> Bounded:
        """Both values where they are as close as their own bounds are wide; undecided where they are apart."""
        result = np.where(test.typed, then.typed, orelse.typed)
        flags = then.flags | orelse.flags
        if then.wide is None or orelse.wide is None:
            apart = then.typed != orelse.typed
            return Bounded(result, flags | np.where(apart, np.uint8(UNDECIDED), np.uint8(0)), then.dtype)
        (a, ea), (b, eb) = self.decided(then), self.decided(orelse)
        wide, other = np.where(test.typed, a, b), np.where(test.typed, b, a)
        error = np.maximum(np.where(test.typed, ea, eb), np.abs(wide - other) + np.where(test.typed, eb, ea))
        apart = ~(error <= 4 * (ea + eb)) & ~((a == b) & (ea + eb == 0))
        flags = flags | np.where(apart, np.uint8(UNDECIDED), np.uint8(REORDERED))
        return Bounded(result, flags, then.dtype, wide, np.where(np.isnan(error), np.inf, error))

    def call(self, name: str, args: list[Bounded], dtype: DType) -> Bounded:
        if name == asked.TEN_BITS:
            return asked.ten_bits(args, dtype)
        if name in joined.CALLS:
            return joined.CALLS[name](args, dtype)
        result = typed.call(name, [a.typed for a in args], args[0].dtype)
        flags = args[0].flags if len(args) == 1 else args[0].flags | args[1].flags
        if name in TESTS:
            lost = loose(args[0]) & np.isinf(pair(args[0])[1])
            chosen = np.where(loose(args[0]), typed.CALLS[name](pair(args[0])[0]), result)
            return Bounded(chosen, flags & UNKNOWN | np.where(lost, np.uint8(UNDECIDED), np.uint8(0)), dtype)
        if name in interval.STEPS or name == "fmod":
            at = interval.call(name, [self.decided(a) for a in args])
            return self._stepped(Bounded(result, flags, dtype, *at), at)
        at = interval.call(name, [pair(a) for a in args])
        if name in CORRECTLY_ROUNDED and not (self.python and name == "sqrt"):
            found = self._rounded(result, at, flags, dtype, 0.0 if name == "copysign" else 0.5)
        else:
            error = ulps_of(name, dtype, python=self.python)
            found = self._rounded(result, at, flags | np.uint8(APPROXIMATE), dtype, error)
        return either_sign(found, *(args[k] for k in SIGNED_ZEROS.get(name, ())))

    # --- casts

    def cast(self, value: Bounded, old: DType, new: DType, explicit: bool) -> Bounded:
        result = typed.cast(value.typed, old, new)
        if value.wide is None:
            return self._from_whole(value, result, new)
        if new.is_float:
            return self._rounded_to(value, result, new, explicit)
        return self._to_whole(value, result, old, new)

    def _from_whole(self, value: Bounded, result: Values, new: DType) -> Bounded:
        flags = value.flags
        if not new.is_float:
            return Bounded(result, flags, new)
        wide = value.typed.astype(self.real)
        return self._rounded(result, (wide, np.zeros(1, self.real)), flags, new, 0.5)

    def _to_whole(self, value: Bounded, result: Values, old: DType, new: DType) -> Bounded:
        flags, inexact = value.flags & np.uint8(UNKNOWN), loose(value)
        wide, error = pair(value)
        if self.python and new.is_int:  # NumPy leaves open what NaN and too large a float become
            most = 2.0 ** (63 if new.bits == 64 else 32 if new is U32 else 31)
            size = np.maximum(np.abs(wide), np.abs(value.typed.astype(np.float64)))
            flags = flags | np.where(size < most, np.uint8(0), np.uint8(UNDECIDED))
        if not inexact.any():
            return Bounded(result, flags, new)
        ends = [self._whole_of(x, new) for x in (wide - error, wide, wide + error)]
        apart = inexact & ((ends[0] != ends[1]) | (ends[1] != ends[2]) | np.isinf(error))
        if new.kind == "bool":
            apart = apart | (inexact & (np.abs(wide) <= error) & (error > 0))
        chosen = np.where(inexact, ends[1], result)
        return Bounded(chosen, flags | np.where(apart, np.uint8(UNDECIDED), np.uint8(0)), new)

    def _whole_of(self, wide: Values, new: DType) -> Values:
        return typed.cast(wide.astype(np.float64), F64, new)

    def _rounded_to(self, value: Bounded, result: Values, new: DType, explicit: bool) -> Bounded:
        """A rounding is monotone: what a kernel may give lies between the rounded ends of the interval."""
        wide, error = pair(value)
        inexact = loose(value)
        if value.dtype is not new and new.mantissa >= value.dtype.mantissa and new.bits > value.dtype.bits:
            return Bounded(result, value.flags, new, wide, error)
        low, middle, high = (self._through(x, new) for x in (wide - error, wide, wide + error))
        center = middle if explicit else np.where(low == high, middle, wide)
        grown = interval.around([low, high], center)
        grown = np.where(np.isinf(error), np.inf, grown)
        if explicit:
            center = np.where(inexact, center, self.widened(result))
            grown = np.where(inexact, grown, 0.0)
            return Bounded(result, value.flags, new, center, grown)
        exact = self._rounded(result, (wide, error), value.flags, new, 0.5)
        wide, error = pair(exact)
        return Bounded(result, value.flags, new, np.where(inexact, center, wide), np.where(inexact, grown, error))

    def _through(self, wide: Values, dtype: DType) -> Values:
        narrow = wide.astype(np.float64) if dtype.bits <= 16 else wide
        return self.widened(narrow.astype(numpy_type(dtype)))

    # --- sums and products

    def accumulate(
        self, old: Bounded, op: str, term: Bounded, dtype: DType, depth: int | None, entry: int
    ) -> Bounded:
        if old.open is not None and (old.open.op, old.open.entry) != (op, entry):
            old = self.read(old)
        o = old.open or opened(old, op, entry)
        (x, ex), (y, ey) = pair(old), pair(term)
        wide, error = interval.binary(op, (x, ex), (y, ey))
        whole = o.whole & (ey == 0) & (y == np.floor(y)) & ~loose(term)
        total = o.total + size(op, y, ey)
        longest = np.maximum(o.depth, -1 if depth is None else depth)
        return Bounded(
            typed.binary(op, old.typed, term.typed),
            old.flags | term.flags | np.uint8(SIGN_FREE),
            dtype,
            wide,
            error,
            Open(op, entry, total, o.count + 1, longest, whole),
        )

    def accumulate_all(
        self, old: Bounded, op: str, terms: Bounded, runs: Runs, dtype: DType, depth: int | None, entry: int
    ) -> Bounded:
        return folds.summed(self, old, op, terms, runs, depth, entry)

    def fold(self, old: Bounded, op: str, terms: Bounded, runs: Runs, dtype: DType) -> Bounded:
        return folds.folded(self, self.read(old), op, terms, runs)

    # --- memory

    def memory(self, size: int, dtype: DType) -> Cells:
        cells = Cells(self, np.zeros(size, numpy_type(dtype)), dtype)
        cells.flags[:] = UNSET
        return cells

    def load(self, memory: Cells, offset: Ints, ok: Bools | None) -> Bounded:
        if ok is None:
            return memory.get(offset)
        if not ok.any():
            return self.exact(np.zeros(1, numpy_type(memory.dtype)), NO_FLAGS, memory.dtype)
        n = len(ok)
        pick = np.flatnonzero(ok)
        return self.put(None, pick, memory.get(np.broadcast_to(offset, (n,))[pick]), n)

    def store(self, memory: Cells, offset: Ints, value: Bounded) -> None:
        if value.wide is not None:
            value = self._rounded_to(value, value.typed, value.dtype, True)
        memory.set(offset, value)

    def update(self, memory: Cells, offset: Ints, op: str, value: Bounded, depth: int | None) -> None:
        n = max(len(offset), len(value.typed), len(value.flags), 1 if value.wide is None else len(value.wide))
        if value.error is not None:
            n = max(n, len(value.error))
        offset = np.broadcast_to(offset, (n,))
        spread = self.put(None, np.arange(n), value, n)
        if memory.wide is None:
            typed.update(memory.typed, offset, op, value.typed if len(value.typed) == n else spread.typed)
            np.bitwise_or.at(memory.flags, offset, spread.flags)
        elif op == "+":
            memory.add(offset, spread, depth)
        else:
            for chosen in typed.rounds(offset):
                self._fold(memory, offset[chosen], op, self.take(spread, chosen), depth)

    def _fold(self, memory: Cells, offset: Ints, op: str, value: Bounded, depth: int | None) -> None:
        """One term into each of some different elements."""
        if op == "*":
            memory.set(offset, self.accumulate(memory.open_at(offset, op), op, value, memory.dtype, depth, 0))
        else:
            memory.set(offset, self.binary(op, memory.get(offset), value, memory.dtype))

    def blur(self, memory: Cells) -> None:
        memory.flags |= UNDECIDED
