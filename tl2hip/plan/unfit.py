"""Why a fast plan does not fit a nest that comes near it."""

from __future__ import annotations

from tl2hip.source.span import Span

ASSERT = "say in an assert how large {} is"
"""The way out of an index that may lie outside of an array."""

STRIDES = "leave strides out of the type of {}"
"""The way out of strides that the user says."""


class Unfit(Exception):
    """Why a plan does not fit a nest that looks like its kind, in a few plain words for `explain`.

    `way`: what the user can do about it, where there is something. `at`: the place, where it is not the nest's own.
    """

    def __init__(self, why: str, way: str = "", at: Span | None = None) -> None:
        super().__init__(why)
        self.why, self.way, self.at = why, way, at
