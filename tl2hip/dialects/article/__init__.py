"""The article's notation, read statically and rewritten to loops.

>>> from tl2hip.source.problems.base import Report
>>> from tl2hip.source.read import read
>>> from tl2hip.source.span import Source
>>> source = Source("k.py", '''
... import tl2hip as tl
... def row_sums(M, N):
...     x = tl.InputTensor("x", [M, N], "float32")
...     y = tl.OutputTensor("y", [M], "float32")
...     i, j = tl.TileLoop([M, N], [64, 64])
...     y[i].store(x[i, j].load())
...     return tl.CompileKernel(row_sums)
... ''')
>>> report = Report(source)
>>> module = read(source, report)
>>> spelled = expand(module.functions[0], module, report, {})
>>> [type(s).__name__ for s in spelled.function.body[0].body]
['Assign', 'For', 'Assign']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tl2hip.source import nodes
from tl2hip.source.names import called
from tl2hip.source.problems.base import Report

if TYPE_CHECKING:
    from tl2hip.dialects.article.spelling import Spelled

_DECLARES = frozenset({"tl2hip.InputTensor", "tl2hip.OutputTensor", "tl2hip.TileLoop"})


def is_article(function: nodes.Function, module: nodes.Module) -> bool:
    """Whether a function is written in the article's notation: it declares tensors or tile loops by calls."""
    return not _DECLARES.isdisjoint(called(function, module))


def expand(
    function: nodes.Function, module: nodes.Module, report: Report, sets: Mapping[str, Any]
) -> Spelled | None:
    """The kernel as loops over elements, every node at the user's place; None where something was refused.

    `sets` are values of parameters: sizes, blocks, other numbers and texts; and CompileKernel's own options.
    """
    from tl2hip.dialects.article.spelling import spell

    return spell(function, module, report, sets)
