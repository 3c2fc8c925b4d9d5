"""Other notations, each rewritten to the plain one: types of other tools, the article's kernels, tile loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tl2hip.source import nodes
from tl2hip.source.problems.base import Report


@dataclass(frozen=True, slots=True)
class Plain:
    """A function in plain notation, the module that knows its names, and what is left to set of these."""

    function: nodes.Function
    module: nodes.Module
    sets: Mapping[str, int]


def plainly(
    function: nodes.Function,
    module: nodes.Module,
    report: Report,
    sets: Mapping[str, int],
    tiles: Mapping[str, int],
    types: str = "",
) -> Plain | None:
    """A function as plain loops over elements with types of ours; None where the report says why not.

    `sets` and `tiles` are what a caller fixed by name, `types` the types of its parameters where these say none. A
    notation is imported only where the file speaks of it.
    """
    from tl2hip.dialects import hints

    if types or hints.may_have_hints(module):
        typed = hints.expand(function, module, report, types)
        if typed is None:
            return None
        function, module = typed.function, typed.module
    if "TileLoop" in module.source.text or "putTensor" in module.source.text:
        from tl2hip.dialects import article

        if article.is_article(function, module):
            spelled = article.expand(function, module, report, sets)
            if spelled is None:
                return None
            function, module, sets = spelled.function, spelled.module, spelled.sets
    if "tile" in module.source.text:
        from tl2hip.dialects import tiles as notation

        if notation.speaks_of_tiles(module) and notation.is_tiles(function, module):
            loops = notation.expand(function, module, report, tiles)
            if loops is None:
                return None
            function, module = loops.function, loops.module
    return Plain(function, module, sets)
