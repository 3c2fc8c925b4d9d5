"""One run of an article kernel's function: the arrays it runs on, if any, and what it declares and stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tl2hip.notation.elements import Element
from tl2hip.notation.extents import Extent

if TYPE_CHECKING:
    import numpy as np

Size = int | Extent


@dataclass(slots=True)
class Run:
    """A run in progress. With `arrays` (inputs by name) it computes; without, it records what is declared.

    `kept` are the numbers of the tile indices that some store has, known when arrays are there; the others
    are summed over.
    """

    of: object
    arrays: dict[str, np.ndarray[Any, Any]] | None = None
    kept: frozenset[int] = frozenset()
    inputs: dict[str, tuple[Element, tuple[Size, ...]]] = field(default_factory=dict)
    outputs: dict[str, np.ndarray[Any, Any] | None] = field(default_factory=dict)
    loops: list[tuple[Size, Size]] = field(default_factory=list)
    stored: set[int] = field(default_factory=set)


_CURRENT: ContextVar[Run | None] = ContextVar("run of an article kernel", default=None)


def current() -> Run:
    """The run in progress; where there is none (a plain call of the function), one that computes nothing."""
    return _CURRENT.get() or Run(of=None)


@contextmanager
def running(run: Run) -> Iterator[Run]:
    """Makes `run` the one in progress."""
    token = _CURRENT.set(run)
    try:
        yield run
    finally:
        _CURRENT.reset(token)
