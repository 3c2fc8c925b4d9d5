"""Draws the scalars that a kernel is tried with: values that its asserts admit beside the given sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tl2hip.dtypes import BOOL, F64, I64
from tl2hip.nest.ir import Nest, Scalar
from tl2hip.nest.run.arithmetic import numpy_type
from tl2hip.nest.walk import all_parts
from tl2hip.prove.asserts import Mover, admitted, of_scalars
from tl2hip.prove.evaluate import Sizes
from tl2hip.prove.uses import uses

DRAWS = 100
"""How many draws are looked at for scalars that the asserts admit."""


def scalars(
    nest: Nest, sizes: Sizes, mode: str, random: np.random.Generator, draws: int = DRAWS
) -> dict[str, Any] | None:
    """Scalars that the asserts admit with these sizes; None where no draw leads to any."""
    if not of_scalars(nest):
        return drawn(nest, mode, random)
    for _ in range(draws):
        tries = drawn(nest, mode, random)
        if admitted(nest, sizes, tries):
            return tries
        moved = Mover(nest, random).moved(sizes, tries)
        if moved is not None:
            return moved[1]
    return None


def drawn(nest: Nest, mode: str, random: np.random.Generator) -> dict[str, Any]:
    """Scalars that nothing is asked of; those that a loop or an extent depends on are small."""
    shaping = {p.name for a in nest.arrays for e in a.shape for p in all_parts(e) if isinstance(p, Scalar)}
    small = uses(nest).limits | shaping if nest.scalars else frozenset()
    return {s.name: _scalar(s, s.name in small, mode, random) for s in nest.scalars}


def _scalar(s: Scalar, small: bool, mode: str, random: np.random.Generator) -> Any:
    kind = numpy_type(s.dtype).type
    if s.dtype is BOOL:
        return bool(random.integers(2))
    if s.dtype.is_int:
        signed = (-1, -3, -8) if s.dtype.kind == "int" else ()
        choices = (0, 1, 2, 3, 7, 20) if small else (0, 1, 2, 3, 5, 17, *signed)
        value = int(random.choice(choices))
        return value if s.dtype is I64 else kind(value)
    real = float(random.choice(_REALS.get(mode, (0.5, 1.0, 2.0, 0.0, -1.25, 1e-5, 0.1))))
    return real if s.dtype is F64 else kind(real)


_REALS: dict[str, tuple[float, ...]] = {
    "positive": (0.5, 1.0, 2.0),
    **dict.fromkeys(("integers", "coded", "one-hot"), (1.0, 2.0, -1.0, 0.0)),
}
