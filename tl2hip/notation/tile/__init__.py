"""Tile loops: `for i in tile.range(M, 128):` runs its body once for each tile of 128 elements.

>>> import tl2hip
>>> [i.shape for i in tl2hip.tile.range(10, 4)]
[(4,), (4,), (2,)]

An index tile stands for the elements of one tile, and a tensor indexed with it gives a tile of values. Both name
their axes after the loops they come from: arithmetic pairs axes by their loop, whatever their order.
"""

from tl2hip.notation.tile.functions import all, dot, full, range, zeros

__all__ = ["all", "dot", "full", "range", "zeros"]
