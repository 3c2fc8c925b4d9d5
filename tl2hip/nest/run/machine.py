"""The machine that executes a nest over lanes, whatever values are made of.

Loops over the axes named `parallel` open a lane for each iteration, and so do loops whose turns only fold terms
into what is outside. The terms go in in the order of the source, so reductions are summed as plain Python sums
them; all other loops run in that order. Lanes that a branch leaves out run none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Generic

import numpy as np

from tl2hip.nest.ir import (
    Alloc,
    AxisRef,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    If,
    Load,
    Logic,
    Loop,
    Nest,
    Scalar,
    Select,
    Set,
    Stmt,
    Store,
    Unary,
    Update,
    Var,
    While,
)
from tl2hip.nest.reductions import Reduction
from tl2hip.nest.run.doubt import blur_stores, run_both, taint_sets
from tl2hip.nest.run.folds import take_in
from tl2hip.nest.run.lanes import Arithmetic, Bools, Frame, Ints, Memory, Place, V, row_major
from tl2hip.nest.run.together import TogetherLoops, Unfit
from tl2hip.nest.run.turns import iterate
from tl2hip.nest.walk import all_parts, all_stmts


class TooLong(Exception):
    """The run was given up: it passed its budget of loop iterations."""


class Machine(Generic[V]):
    """One execution of a nest. `steps` bounds the serial iterations, `turns` counts all, side by side or not;
    `shared` counts the loops around whose turns run side by side and fold into what is outside them all, `even` has
    the axes that are equally long in all of these, `unfit` the loops that turned out to need their order; `aliased`
    names arrays of which another one is the same. `depth` gives the longest chain of additions that a reduction's
    plan makes, None for the source's own order.
    """

    def __init__(
        self,
        nest: Nest,
        arithmetic: Arithmetic[V],
        parallel: Collection[str],
        steps: int | None = None,
        reductions: Mapping[int, Reduction] | None = None,
        depth: Callable[[Reduction, Mapping[str, int]], int | None] | None = None,
    ) -> None:
        self.nest = nest
        self.arithmetic = arithmetic
        self.parallel = frozenset(parallel)
        self.steps = steps
        self.turns = 0
        self.reductions = reductions or {}
        self.depth = depth
        self.trips: dict[str, int] = {}
        self.entries: dict[str, int] = {}
        self.even: set[str] = set()
        self.together = TogetherLoops(nest, self.parallel)
        self.unfit: set[int] = set()
        self.aliased: frozenset[str] = frozenset()
        self.shared = 0
        self.constants: dict[int, V] = {}
        self.loads: dict[int, bool] = {}
        self._evaluators: dict[type, Callable[[Any, Frame[V]], V]] = {
            Const: self._const,
            AxisRef: lambda e, f: f.get("@" + e.axis),
            Dim: lambda e, f: f.get("#" + e.name),
            Scalar: lambda e, f: f.get("$" + e.name),
            Var: lambda e, f: arithmetic.read(f.get(e.name)),
            Load: self._load,
            Unary: lambda e, f: arithmetic.unary(e.op, self.value(e.value, f), e.dtype),
            Binary: self._binary,
            Compare: lambda e, f: arithmetic.compare(e.op, self.value(e.left, f), self.value(e.right, f)),
            Logic: self._logic,
            Select: self._select,
            Cast: lambda e, f: arithmetic.cast(self.value(e.value, f), e.value.dtype, e.dtype, e.explicit),
            Call: lambda e, f: arithmetic.call(e.name, [self.value(a, f) for a in e.args], e.dtype),
        }
        self._runners: dict[type, Callable[[Any, Frame[V]], None]] = {
            Loop: self._loop,
            While: self._while,
            If: self._if,
            Set: self._set,
            Store: self._store,
            Update: self._update,
            Alloc: self._alloc,
        }

    # --- expressions

    def value(self, e: Expr, frame: Frame[V]) -> V:
        """The value of an expression in every lane of a frame."""
        return self._evaluators[type(e)](e, frame)

    def whole(self, e: Expr, frame: Frame[V]) -> Ints:
        """The value of an integer expression."""
        return self.arithmetic.integers(self.value(e, frame))

    def _const(self, e: Const, _: Frame[V]) -> V:
        found = self.constants.get(id(e))
        if found is None:
            found = self.constants[id(e)] = self.arithmetic.constant(e.value, e.dtype)
        return found

    def _binary(self, e: Binary, frame: Frame[V]) -> V:
        return self.arithmetic.binary(e.op, self.value(e.left, frame), self.value(e.right, frame), e.dtype)

    def _has_loads(self, e: Expr) -> bool:
        found = self.loads.get(id(e))
        if found is None:
            found = self.loads[id(e)] = any(isinstance(p, Load) for p in all_parts(e))
        return found

    def _truth(self, test: V, frame: Frame[V]) -> tuple[Bools, Bools | None]:
        """Where a test holds, over all lanes, and where it is in doubt."""
        doubt = self.arithmetic.doubt(test)
        if doubt is not None and not doubt.any():
            doubt = None
        truth = np.broadcast_to(self.arithmetic.truth(test), (frame.n,))
        return truth, None if doubt is None else np.broadcast_to(doubt, (frame.n,))

    def _logic(self, e: Logic, frame: Frame[V]) -> V:
        left = self.value(e.left, frame)
        if not self._has_loads(e.right):
            return self.arithmetic.logic(e.op, left, self.value(e.right, frame))
        truth, doubt = self._truth(left, frame)
        needed = truth if e.op == "and" else ~truth
        if doubt is not None:
            needed = needed | doubt
        pick = np.flatnonzero(needed)
        if len(pick) == 0:
            return left
        right = self.value(e.right, frame.inner(pick))
        both = self.arithmetic.logic(e.op, self.arithmetic.take(left, pick), right)
        return self.arithmetic.put(left, pick, both, frame.n)

    def _select(self, e: Select, frame: Frame[V]) -> V:
        test = self.value(e.test, frame)
        truth, doubt = self._truth(test, frame)
        sure = np.ones(frame.n, np.bool_) if doubt is None else ~doubt
        result: V | None = None
        for side, chosen in ((e.then, truth & sure), (e.orelse, ~truth & sure)):
            pick = np.flatnonzero(chosen)
            if len(pick) == frame.n:
                return self.value(side, frame)
            if len(pick) == 0:
                continue
            if self._has_loads(side):
                some = self.value(side, frame.inner(pick))
            else:
                some = self.arithmetic.take(self.value(side, frame), pick)
            result = self.arithmetic.put(result, pick, some, frame.n)
        if doubt is not None:
            pick = np.flatnonzero(doubt)
            inner = frame.inner(pick, np.ones(len(pick), np.bool_))
            then, orelse = self.value(e.then, inner), self.value(e.orelse, inner)
            some = self.arithmetic.either(self.arithmetic.take(test, pick), then, orelse)
            result = self.arithmetic.put(result, pick, some, frame.n)
        assert result is not None
        return result

    def _offset(
        self, array: str, index: tuple[Expr, ...], proven: bool, frame: Frame[V]
    ) -> tuple[Place, Ints, Bools | None, Bools | None]:
        """Where elements lie; which of them exist (None: all); whose place is in doubt (None: none)."""
        place = frame.place(array)
        offset, ok, doubt = place.base, None, None
        for e, extent, stride in zip(index, place.shape, place.strides, strict=True):
            value = self.value(e, frame)
            i = self.arithmetic.integers(value)
            unsure = self.arithmetic.doubt(value)
            if unsure is not None and unsure.any():
                doubt = unsure if doubt is None else doubt | unsure
            inside = (i >= 0) & (i < extent)
            if not inside.all():
                if proven and frame.taint is None and doubt is None:
                    raise IndexError(f"{array}: an index proven inside lies outside its extent")
                i = np.where(i < 0, i + extent, i)
                inside = (i >= 0) & (i < extent)
                if not inside.all():
                    ok = inside if ok is None else ok & inside
            offset = offset + i * stride
        return place, offset, ok, doubt

    def _load(self, e: Load, frame: Frame[V]) -> V:
        place, offset, ok, doubt = self._offset(e.array, e.index, e.proven, frame)
        value = self.arithmetic.load(place.memory, offset, ok)
        return value if doubt is None else self.arithmetic.tainted(value, doubt)

    # --- statements

    def block(self, body: tuple[Stmt, ...], frame: Frame[V]) -> None:
        """Runs statements in order over the lanes of a frame; nothing where there are none."""
        if frame.n:
            for s in body:
                self._runners[type(s)](s, frame)

    def step(self, ahead: int = 0) -> None:
        """Counts an iteration, or many lanes at once; gives up where more than may be taken are `ahead` of it."""
        if self.steps is not None:
            self.steps -= 1
            if self.steps < ahead:
                raise TooLong(f"{self.nest.name} was given up: it takes too many iterations")

    def depth_of(self, s: Stmt) -> int | None:
        reduction = self.reductions.get(id(s))
        return self.depth(reduction, self.trips) if reduction and self.depth else None

    def _set(self, s: Set, frame: Frame[V]) -> None:
        if self.shared and (home := frame.home(s.name)):
            take_in(self, s, frame, *home)
            return
        reduction = self.reductions.get(id(s))
        if reduction is None:
            frame.set(s.name, self.value(s.value, frame))
            return
        depth, entry = self.depth_of(s), self.entries.get(reduction.region, 0)
        value = frame.get(s.name)
        for term in reduction.terms:
            more = self.value(term, frame)
            value = self.arithmetic.accumulate(value, reduction.op, more, s.value.dtype, depth, entry)
        frame.set(s.name, value)

    def _target(self, s: Store | Update, frame: Frame[V]) -> tuple[Memory, Ints, V] | None:
        """Where a store goes and what it puts there, for the lanes whose place exists."""
        value = self.value(s.value, frame)
        place, offset, ok, doubt = self._offset(s.array, s.index, s.proven, frame)
        if frame.taint is not None:
            value = self.arithmetic.tainted(value, frame.taint)
        if doubt is not None:
            self.arithmetic.blur(place.memory)
        if isinstance(s, Update) or ok is not None:
            offset = np.broadcast_to(offset, (frame.n,))
        if ok is not None:
            pick = np.flatnonzero(np.broadcast_to(ok, (frame.n,)))
            if len(pick) == 0:
                return None
            value = self.arithmetic.take(value, pick)
            offset = offset[pick]
        return place.memory, offset, value

    def _store(self, s: Store, frame: Frame[V]) -> None:
        target = self._target(s, frame)
        if target is not None:
            self.arithmetic.store(*target)

    def _update(self, s: Update, frame: Frame[V]) -> None:
        target = self._target(s, frame)
        if target is not None:
            memory, offset, value = target
            self.arithmetic.update(memory, offset, s.op, value, self.depth_of(s))

    def _alloc(self, s: Alloc, frame: Frame[V]) -> None:
        frame.places[s.array] = self.allocated(s.array, frame)

    def allocated(self, name: str, frame: Frame[V]) -> Place:
        """A new array of undefined elements, one for each lane."""
        array = self.nest.array(name)
        shape = tuple(np.maximum(self.whole(e, frame), 0) for e in array.shape)
        size = np.ones(1, np.int64)
        for extent in shape:
            size = size * extent
        sizes = np.broadcast_to(size, (frame.n,))
        base = np.cumsum(sizes) - sizes
        return Place(self.arithmetic.memory(int(sizes.sum()), array.dtype), base, shape, row_major(shape))

    # --- control

    def _if(self, s: If, frame: Frame[V]) -> None:
        test = self.value(s.test, frame)
        truth, doubt = self._truth(test, frame)
        sure = truth if doubt is None else truth & ~doubt
        other = ~truth if doubt is None else ~truth & ~doubt
        for body, chosen in ((s.then, sure), (s.orelse, other)):
            if body and chosen.any():
                if chosen.all():
                    self.block(body, frame)
                    return
                inner = frame.inner(np.flatnonzero(chosen))
                self.block(body, inner)
                inner.leave()
        if doubt is not None:
            self._no_folds((*s.then, *s.orelse), frame)
            run_both(self, s, frame, test, np.flatnonzero(doubt))

    def _no_folds(self, body: tuple[Stmt, ...], frame: Frame[V]) -> None:
        """Unfit where something in doubt is folded into a variable of all turns."""
        if self.shared and any(isinstance(x, Set) and frame.home(x.name) for x in all_stmts(body)):
            raise Unfit

    def _loop(self, s: Loop, frame: Frame[V]) -> None:
        axis = s.axis
        first, last = self.value(axis.start, frame), self.value(axis.stop, frame)
        start, stop = self.arithmetic.integers(first), self.arithmetic.integers(last)
        trips = np.maximum(0, -((start - stop) // axis.step))
        self.trips[axis.name] = most = int(trips.max())
        if not self.shared or int(trips.min()) == most:
            self.even.add(axis.name)
        else:
            self.even.discard(axis.name)
        self.entries[axis.name] = self.entries.get(axis.name, 0) + 1
        doubts = [d for d in (self.arithmetic.doubt(first), self.arithmetic.doubt(last)) if d is not None]
        unsure = np.any(np.broadcast_arrays(*doubts), axis=0) if doubts else np.zeros(1, np.bool_)
        if unsure.any():
            self._no_folds(s.body, frame)
            where = np.broadcast_to(unsure, (frame.n,))
            inner = frame.inner(np.arange(frame.n), where)
            iterate(self, s, inner, start, trips)
            inner.leave()
            taint_sets(s.body, frame, where)
            blur_stores(s.body, frame)
            return
        iterate(self, s, frame, start, trips)

    def _while(self, s: While, frame: Frame[V]) -> None:
        current, doubted = frame, False
        ids: Ints = np.arange(frame.n)
        while True:
            self.step()
            self.turns += current.n
            truth, doubt = self._truth(self.value(s.test, current), current)
            if doubt is not None:
                doubted = True
                if current is frame:
                    current = frame.inner(ids)
                current.taint = doubt if current.taint is None else current.taint | doubt
                taint_sets(s.body, current, doubt)
            if not truth.all():
                if current is not frame:
                    current.leave()
                pick = np.flatnonzero(truth)
                if len(pick) == 0:
                    if doubted:
                        blur_stores(s.body, frame)
                    return
                ids = ids[pick]
                current = frame.inner(ids, None if current.taint is None else current.taint[pick])
            self.block(s.body, current)
