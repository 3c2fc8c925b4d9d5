"""The LDS that a kernel declares, array by array, and how the compiler lays the arrays out.

The printer declares what stands here and nothing else, so the bytes of a plan are those of the compiled kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from tl2hip.dtypes import DType
from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Array, Expr
from tl2hip.plan.gfx942 import ACCESS_BYTES, WAVE
from tl2hip.plan.ir import DeviceKernel, Placed
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.walk import all_stmts


@dataclass(frozen=True, slots=True)
class Piece:
    """One array in LDS. `own`: a reduction's scratch, which no name of the plan stands for."""

    name: str
    dtype: DType
    elements: int
    own: bool = False

    @property
    def bytes(self) -> int:
        return self.elements * self.dtype.bytes

    @property
    def alignment(self) -> int:
        """The bytes that its address is a multiple of: 16 for the plan's arrays, which wide accesses move. The
        compiler raises that of others to their size (LLVM, AMDGPULowerModuleLDSPass)."""
        if not self.own:
            return ACCESS_BYTES
        raised = next((n for n in (16, 8, 4, 2) if self.bytes > n // 2), 1)
        return max(self.dtype.bytes, raised)


def elements(a: Array) -> int:
    """Elements of an array of constant extents, with the gaps of its strides. ValueError for others."""
    shape = [_constant(n) for n in a.shape]
    if a.strides is None:
        return max(1, prod(shape))
    strides = [_constant(s) for s in a.strides]
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if all(shape) else 1


def _constant(e: Expr) -> int:
    value = value_of(e)
    if value is None:
        raise ValueError("an array of a kernel's own has constant extents")
    return value


def scratch(dtypes: Sequence[DType], threads: int, slot: int | None = None) -> tuple[tuple[str, DType, int], ...]:
    """The LDS a reduction over a block needs: (key, dtype, elements) per array; none for a single wave.

    The positions of an extreme value have an array of their own, apart from values that are i64 too. Reductions
    with the same key share an array; a `slot` is part of it.
    """
    if threads == WAVE:
        return ()
    keys = ("values",) if len(dtypes) == 1 else ("values", "places")
    own = f"_{slot + 1}" if slot else ""
    return tuple((f"{key}_{d}{own}", d, threads // WAVE) for key, d in zip(keys, dtypes, strict=True))


def pieces(kernel: DeviceKernel, placed: Iterable[Placed]) -> tuple[Piece, ...]:
    """The arrays of a kernel in LDS: the plan's own, then the scratch of its reductions."""
    own = {p.array.name: p.array for p in placed if p.space == "shared"}
    found = [Piece(n, own[n].dtype, elements(own[n])) for n in kernel.local_arrays if n in own]
    hidden: dict[str, Piece] = {}
    for s in all_stmts(kernel.body):
        if isinstance(s, Combine):
            for key, dtype, count in scratch([t for _, t in s.variables], s.threads, s.slot):
                hidden.setdefault(key, Piece(f"lds_{key}", dtype, count, own=True))
        elif isinstance(s, Prefix):
            for key, dtype, count in scratch((s.dtype,), s.threads):
                hidden.setdefault(key, Piece(f"lds_{key}", dtype, count, own=True))
    return (*found, *hidden.values())


def laid_out(all_: Sequence[Piece]) -> int:
    """Bytes of LDS that these arrays take together, with the gaps between them.

    At each place comes the array of the greatest alignment that fits there without a gap, the largest of them
    first; where none does, the gap is as small as it can be (LLVM, OptimizedStructLayout).
    """
    left = sorted(all_, key=lambda p: (-p.alignment, -p.bytes))
    end = 0
    while left:
        fitting = next((p for p in left if end % p.alignment == 0), None)
        chosen = fitting or left[-1]
        if fitting is None:
            chosen = next(p for p in left if p.alignment == left[-1].alignment)
            end = _up(end, chosen.alignment)
        left.remove(chosen)
        end += chosen.bytes
    return _up(end, max((p.dtype.bytes for p in all_), default=1))


def _up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple
