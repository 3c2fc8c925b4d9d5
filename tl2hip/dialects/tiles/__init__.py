"""Tile loops, read statically and rewritten to loops over elements.

>>> from tl2hip.source.problems.base import Report
>>> from tl2hip.source.read import read
>>> from tl2hip.source.span import Source
>>> source = Source("k.py", '''
... from tl2hip import Tensor, dims, f32, kernel, tile
... M, N = dims("M N")
... @kernel
... def row_sums(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
...     for i in tile.range(M, 64):
...         j = tile.all(N)
...         y[i] = x[i, j].sum(axis=1)
... ''')
>>> report = Report(source)
>>> module = read(source, report)
>>> spelled = expand(module.functions[0], module, report, {})
>>> [type(s).__name__ for s in spelled.function.body[0].body]
['Assign', 'For', 'Assign']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tl2hip.source import nodes
from tl2hip.source.names import called
from tl2hip.source.problems.base import Report

if TYPE_CHECKING:
    from tl2hip.dialects.tiles.spelling import Spelled


def speaks_of_tiles(module: nodes.Module) -> bool:
    """Whether a file may have tile loops, told quickly."""
    return "tile" in module.source.text and (
        "tl2hip.tile" in module.origins.values() or ".tile." in module.source.text
    )


def is_tiles(function: nodes.Function, module: nodes.Module) -> bool:
    """Whether a function calls something of `tile`."""
    return any(name.startswith("tl2hip.tile.") for name in called(function, module))


def expand(
    function: nodes.Function, module: nodes.Module, report: Report, tiles: Mapping[str, int]
) -> Spelled | None:
    """The kernel as loops over elements, every node at the user's place; None where something was refused.

    `tiles` are sizes set from outside, by the name of the index tile.
    """
    from tl2hip.dialects.tiles.spelling import spell

    return spell(function, module, report, tiles)
