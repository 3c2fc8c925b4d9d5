"""What happens in lanes where a decision is in doubt: its test lies within the bounds of its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tl2hip.nest.ir import Alloc, If, Set, Stmt, Store, Update
from tl2hip.nest.run.lanes import Bools, Frame, Ints, V
from tl2hip.nest.walk import all_stmts

if TYPE_CHECKING:
    from tl2hip.nest.run.machine import Machine


def run_both(machine: Machine[V], s: If, frame: Frame[V], test: V, pick: Ints) -> None:
    """Both branches run; variables take either value, and all that is stored is tainted."""
    if not all(isinstance(x, Set) for x in (*s.then, *s.orelse)):
        for body in (s.then, s.orelse):
            inner = frame.inner(pick, np.ones(len(pick), np.bool_))
            machine.block(body, inner)
            inner.leave()
        return
    test = machine.arithmetic.take(test, pick)
    nowhere = np.zeros(len(pick), np.bool_)  # a taint, so that an index proven under the test may lie outside
    then, orelse = frame.inner(pick, nowhere), frame.inner(pick, nowhere)
    machine.block(s.then, then)
    machine.block(s.orelse, orelse)
    for name in {**then.written, **orelse.written}:
        a, b = then.find(name), orelse.find(name)
        if a is None or b is None:
            one = a if b is None else b
            assert one is not None
            value = machine.arithmetic.tainted(one, np.ones(len(pick), np.bool_))
        else:
            value = machine.arithmetic.either(test, machine.arithmetic.read(a), machine.arithmetic.read(b))
        frame.written[name] = machine.arithmetic.put(frame.find(name), pick, value, frame.n)


def blur_stores(body: tuple[Stmt, ...], frame: Frame[V]) -> None:
    """Nothing that a loop of an undecided length stores to is decided."""
    own = {x.array for x in all_stmts(body) if isinstance(x, Alloc)}
    for x in all_stmts(body):
        if isinstance(x, Store | Update) and x.array not in own:
            frame.arithmetic.blur(frame.place(x.array).memory)


def taint_sets(body: tuple[Stmt, ...], frame: Frame[V], where: Bools) -> None:
    """Whatever a body sets is undecided in these lanes."""
    for x in all_stmts(body):
        if isinstance(x, Set):
            value = frame.find(x.name)
            if value is not None:
                frame.written[x.name] = frame.arithmetic.tainted(value, where)
