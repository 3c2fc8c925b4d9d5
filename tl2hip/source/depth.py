"""How deep a file may be nested, and the room that the stages need for it: all of them recurse over trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

DEPTH = 500
"""The deepest tree that is read."""
CALLS = 20
"""The calls that a level of a tree may take in any stage: a visitor, what dispatches it, and comprehensions."""


@contextmanager
def deep() -> Iterator[None]:
    """Room on Python's stack for trees of `DEPTH` levels; as a decorator, in a function."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, CALLS * DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
