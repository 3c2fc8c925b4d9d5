"""Runs a mutant's Python with its nest beside it: no compiler, so that every converted mutant can have it."""

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
from tl2hip.nest.run import run
from tl2hip.nest.run.machine import TooLong
from tl2hip.prove.draw import Data, Sizes
from tl2hip.prove.python import in_order
from tl2hip.prove.shapes import admitted, elements, shapes, work
from tl2hip.prove.verify import Options, describe
from tl2hip.source.problems.base import Problem

STEPS = 60_000
"""How many lines of Python a call may run: some mutants never end."""
SERIAL = 20_000
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


@dataclass(frozen=True, slots=True)
class Counted:
    """A function whose calls end after so many lines."""

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
        finally:
            sys.settrace(before)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a nest beside its Python showed."""

    problems: tuple[Problem, ...] = ()
    compared: int = 0
    """Cases in which both ran to the end."""
    raised: int = 0
    changed: bool = False
    """Whether the unchanged kernel gives something else for the same arguments."""


def compared(kernel: api.Converted, function: Function, before: Function | None, seed: int) -> Compared:
    """The nest of a kernel beside its function in a few cases; `before` is the function before it was changed."""
    assert kernel.nest is not None and kernel.printed is not None
    nest = kernel.nest
    how = Options(python_work=10 * WORK, steps=SERIAL)
    session = EdgeSession(nest, kernel.printed.launcher, Counted(in_order(function, nest.order)), how)
    found = Compared()
    for sizes, mode in cases(nest, seed):
        drawn = session.drawn(sizes, mode, seed)
        try:
            typed = run(nest, drawn.arrays, drawn.scalars, sizes, parallel=session.parallel, steps=SERIAL)
            verdict = session.run_python(drawn, sizes, typed, describe(sizes, mode, seed))
        except (TooLong, Endless):
            continue
        found = replace(
            found,
            compared=found.compared + (verdict in ("equal", "differs")),
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


def _differs(before: Function, nest: Nest, drawn: Data, typed: dict[str, Any]) -> bool:
    """Whether the unchanged kernel leaves other values in what both take; False where it does not take it."""
    arrays = {n: a.copy() for n, a in drawn.arrays.items()}
    try:
        given = [arrays[n] if n in arrays else drawn.scalars[n] for n in nest.order]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            in_order(before, nest.order)(*given)
    except Exception:  # it takes other arguments: nothing can be said
        return False
    return any(arrays[n].tobytes() != v.tobytes() for n, v in typed.items() if n in arrays)
