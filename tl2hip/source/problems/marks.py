"""Marks and notations: Tile, stages, dims, Tensor options (TL2xx)."""
