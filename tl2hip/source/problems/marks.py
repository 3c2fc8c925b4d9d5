"""Marks and notations: Tile, stages, dims, Tensor options (TL2xx).

The classes stand in modules beside this one; each is imported when a class of it is first asked for, since most
kernels are refused nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.source.problems.marks_budget import TooMuchLds as TooMuchLds
    from tl2hip.source.problems.marks_plan import MarkNotHonoured as MarkNotHonoured
    from tl2hip.source.problems.marks_plan import OptionNotHonoured as OptionNotHonoured
    from tl2hip.source.problems.marks_refused import BadDims as BadDims
    from tl2hip.source.problems.marks_refused import BadOption as BadOption
    from tl2hip.source.problems.marks_refused import BadTile as BadTile
    from tl2hip.source.problems.marks_refused import MarkNotConstant as MarkNotConstant
    from tl2hip.source.problems.marks_refused import MarkOutOfRange as MarkOutOfRange
    from tl2hip.source.problems.marks_refused import TileNotDivisible as TileNotDivisible
    from tl2hip.source.problems.marks_refused import TileTwice as TileTwice
    from tl2hip.source.problems.marks_refused import TileWithoutLoop as TileWithoutLoop
    from tl2hip.source.problems.marks_refused import UnknownMark as UnknownMark
    from tl2hip.source.problems.marks_refused import UnknownTile as UnknownTile

_HOMES = {
    "budget": ("TooMuchLds",),
    "plan": ("MarkNotHonoured", "OptionNotHonoured"),
    "refused": (
        "BadDims",
        "BadOption",
        "BadTile",
        "MarkNotConstant",
        "MarkOutOfRange",
        "TileNotDivisible",
        "TileTwice",
        "TileWithoutLoop",
        "UnknownMark",
        "UnknownTile",
    ),
}
_HOME = {name: f"tl2hip.source.problems.marks_{part}" for part, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """A class of the catalogue, from the module it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def load_all() -> None:
    """Import every class, those of the article's notation too, so that the catalogue is whole."""
    import_module("tl2hip.source.problems.article")
    import_module("tl2hip.source.problems.tiles")
    for module in dict.fromkeys(_HOME.values()):
        import_module(module)
