"""How kernels cut extents and at which they are taken, told to whoever proves them."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.nest.ir import Expr


@dataclass(frozen=True, slots=True)
class Grain:
    """An extent that kernels cut into tiles of `tile` elements and move in pieces of `piece`: what is behind the
    last whole tile or piece takes another way, so proofs try extents on both sides of each. `exact`: kernels take
    one tile and nothing else."""

    extent: Expr
    tile: int
    piece: int = 1
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Probe:
    """Extents at which the launcher takes kernels that it takes for few others, and which are cheap to run."""

    extents: tuple[tuple[Expr, int], ...]
