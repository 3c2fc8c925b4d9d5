"""Runs a mutant's Python with its nest and its printed text beside it."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np

from tests.fuzz.edges import EdgeSession
from tl2hip import api
from tl2hip.nest.ir import Nest
from tl2hip.nest.run import counted
from tl2hip.nest.run.arithmetic import Values
from tl2hip.nest.run.machine import TooLong
from tl2hip.prove.bound import reference
from tl2hip.prove.draw import Data, Sizes
from tl2hip.prove.emulate import Library
from tl2hip.prove.python import in_order
from tl2hip.prove.shapes import admitted, elements, shapes, work
from tl2hip.prove.verify import Options, describe
from tl2hip.source.problems.base import Problem

STEPS = 60_000
"""How many lines of Python a call may run: some mutants never end."""
SERIAL = 5_000
"""How many serial iterations of the nest."""
WORK = 1200
"""How many innermost statements a case may take."""
ELEMENTS = 1 << 16
"""How many elements the arrays of a case may have."""
DRAWN = 3
MODES = ("integers", "normal", "edges", "coded")

Function = Callable[..., Any]


class Endless(BaseException):
    """Ends a call that runs too many lines; no `except` of a mutant is for it."""


class Hangs(BaseException):
    """Ends what takes too long; no `except` of a mutant or of ours is for it."""


class Declined(BaseException):
    """Ends a call whose data the function's own `assert` does not take; no `except` of a mutant is for it."""


@dataclass(frozen=True, slots=True)
class Asserting:
    """A function that tells data which its own `assert` does not take from what else it raises."""

    function: Function

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.function(*arguments)
        except AssertionError:
            raise Declined from None


@dataclass(frozen=True, slots=True)
class Counted:
    """A function whose calls end after so many lines, or where Python alone takes too long."""

    function: Function

    def __call__(self, *arguments: Any) -> Any:
        left = STEPS

        def watch(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Endless
            return watch

        before = sys.gettrace()
        sys.settrace(watch)
        try:
            return self.function(*arguments)
        except Hangs:
            raise Endless from None
        finally:
            sys.settrace(before)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a nest and its printed text beside the Python function showed."""

    problems: tuple[Problem, ...] = ()
    compared: int = 0
    """Cases in which nest and Python ran to the end."""
    launched: int = 0
    """Cases in which the printed text ran on the emulated compute unit."""
    raised: int = 0
    """Cases in which Python raised; the function's own `assert` among what did."""
    given_up: int = 0
    """Cases that were left unfinished: they take too many lines of Python, or iterations of the nest."""
    past_i64: int = 0
    """Cases in which Python's own integers leave the 64 bits that a kernel has for them."""
    changed: bool = False
    """Whether the unchanged kernel gives something else for the same arguments."""


class BothSession(EdgeSession):
    """A session that works out bounds only where the printed text and the nest differ: most are equal."""

    def beside(
        self, library: Library, drawn: Data, sizes: Sizes, typed: dict[str, Values], turns: int, told: str
    ) -> None:
        """The printed text beside what the nest gave in the same case, in so many turns of its loops."""
        got, ran = self.run_hip(library, drawn, sizes, turns=turns)
        self.judge_run(ran, told)
        if ran.status:
            return
        differing = [name for name in typed if got[name].tobytes() != typed[name].tobytes()]
        if differing:
            given = (drawn.arrays, drawn.scalars, sizes)
            how = self.options
            bounds = reference(self.nest, *given, parallel=self.parallel, depths=how.depths, steps=how.steps)
            for name in differing:
                self.judge(name, got[name], typed[name], bounds[name], told)
        self.judge_inputs(got, drawn, typed, told)


def compared(
    kernel: api.Converted,
    function: Function | None,
    before: Function | None,
    seed: int,
    library: Library | None,
) -> Compared:
    """A kernel beside its function, where there is one, in a few cases: its nest, and its printed text where that
    was loaded. `before` is the function before it was changed."""
    assert kernel.nest is not None and kernel.printed is not None and kernel.plan is not None
    nest, plan = kernel.nest, kernel.plan
    called = Counted(Asserting(in_order(function, nest.order))) if function else None
    how = Options(
        python_work=10 * WORK,
        steps=SERIAL,
        depths={axis: tree.depth for axis, tree in plan.trees},
        in_place=plan.in_place,
    )
    session = BothSession(nest, kernel.printed.launcher, called, how)
    found = Compared()
    for sizes, mode in cases(nest, seed):
        drawn, told = session.drawn(sizes, mode, seed), describe(sizes, mode, seed)
        known = len(session.problems)
        try:
            given = (drawn.arrays, drawn.scalars, sizes)
            typed, turns = counted(nest, *given, parallel=session.parallel, steps=SERIAL)
            verdict = session.run_python(drawn, sizes, typed, {}, told)  # the nest as written: nothing was joined
        except (TooLong, Endless):
            found = replace(found, given_up=found.given_up + 1)
            continue
        except Declined:
            found = replace(found, raised=found.raised + 1)
            continue
        if verdict == "differs" and function is not None and leaves_i64(function, nest, drawn):
            del session.problems[known:]
            found = replace(found, past_i64=found.past_i64 + 1)
            continue
        if library is not None:
            session.beside(library, drawn, sizes, typed, turns, told)
        found = replace(
            found,
            compared=found.compared + (verdict in ("equal", "differs")),
            launched=found.launched + (library is not None),
            raised=found.raised + (verdict == "raised"),
            changed=found.changed or (before is not None and _differs(before, nest, drawn, typed)),
        )
    return replace(found, problems=tuple(session.problems))


def cases(nest: Nest, seed: int) -> Iterator[tuple[Sizes, str]]:
    """A middling shape, one of ones, a long one, one with an empty extent; each in another mode."""
    drawn = list(shapes(nest, seed, DRAWN, WORK))
    draw = random.Random(f"cases {seed}")
    if nest.dims and drawn:
        drawn.append({**drawn[0], draw.choice(nest.dims): 0})
    for k, sizes in enumerate(drawn):
        if admitted(nest, sizes) and work(nest, sizes) <= 4 * WORK and elements(nest, sizes) <= ELEMENTS:
            yield sizes, MODES[(k + seed) % len(MODES)]


def leaves_i64(function: Function, nest: Nest, drawn: Data) -> bool:
    """Whether a local of the function holds an integer that i64 does not, at some line of a call."""
    left = False

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left = left or any(type(v) is int and not -(2**63) <= v < 2**63 for v in frame.f_locals.values())
        return watch

    arrays = {n: a.copy() for n, a in drawn.arrays.items()}
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            in_order(function, nest.order)(*[arrays[n] if n in arrays else drawn.scalars[n] for n in nest.order])
    finally:
        sys.settrace(before)
    return left


def _differs(before: Function, nest: Nest, drawn: Data, typed: dict[str, Any]) -> bool:
    """Whether the unchanged kernel leaves other values in what both take; False where it does not take it."""
    arrays = {n: a.copy() for n, a in drawn.arrays.items()}
    try:
        given = [arrays[n] if n in arrays else drawn.scalars[n] for n in nest.order]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Counted(in_order(before, nest.order))(*given)
    except (Exception, Endless):  # it takes other arguments, or more time: nothing can be said
        return False
    return any(arrays[n].tobytes() != v.tobytes() for n, v in typed.items() if n in arrays)
