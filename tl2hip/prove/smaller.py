"""Sizes small enough to run, where the file itself fixes larger ones."""

from __future__ import annotations

from collections.abc import Mapping

from tl2hip.dialects import article
from tl2hip.dialects.article.parameters import given
from tl2hip.source import nodes
from tl2hip.source.problems.base import Report

LARGEST = 128
SMALL = (67, 7, 37)
"""Sizes that no tile divides, few enough for plain Python to run a product of three."""
WHOLE = (40, 16, 24)
"""The same for sizes that are whole pieces of 16 bytes of any dtype of two bytes or more: for them the planner
prints other kernels than for odd ones."""
PIECE = 8
"""Elements of such a piece of halves, the most there are."""


def smaller(function: nodes.Function, module: nodes.Module, sets: Mapping[str, int]) -> dict[str, int]:
    """New values for the sizes over `LARGEST` that calls in the file fix; empty where there are none.

    Only the article's notation fixes sizes by calls. What `sets` says stays as it is.
    """
    if not article.is_article(function, module):
        return {}
    values = given(function, module, Report(module.source), sets, frozenset()).values
    large = {
        name: value.value
        for name, value in values.items()
        if name not in sets and isinstance(value, nodes.Number) and value.value > LARGEST
    }
    pools = {name: SMALL if value % PIECE else WHOLE for name, value in large.items()}
    return {name: pool[k % len(pool)] for k, (name, pool) in enumerate(pools.items())}
