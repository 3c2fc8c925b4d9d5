"""Layouts of one matrix product on a wave: left over (i, k), right over (k, j), result over (i, j)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tl2hip.dtypes import DType
from tl2hip.plan.layout.gf2 import log2
from tl2hip.plan.layout.linear import Layout, Vector
from tl2hip.plan.layout.mfma import Mfma


@dataclass(frozen=True)
class Product:
    """How an instruction with one block computes result += left right, over one or several steps of k.

    `swap` passes right as the first operand and left as the second, so that the instruction's rows are j: each lane
    then has consecutive j of one i. `kperm` permutes the bits of k alike for both operands: bit b of (k of the
    instruction, step) is bit kperm[b] of the tensors' k; its length is log2 of the k of all steps, and the sum does
    not change. Slots of an operand: the instruction's slots, then the steps.
    """

    mfma: Mfma
    swap: bool = False
    kperm: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.mfma.blocks > 1:
            raise ValueError("an instruction of several blocks is no single product")
        if sorted(self.kperm) != list(range(len(self.kperm))):
            raise ValueError(f"{self.kperm} is no permutation of bits")
        if self.k < self.mfma.k:
            raise ValueError(f"k of {self.k} is less than the instruction's {self.mfma.k}")

    @property
    def k(self) -> int:
        """Elements along k of all steps."""
        return 1 << len(self.kperm)

    @property
    def steps(self) -> int:
        """Instructions along k."""
        return self.k // self.mfma.k

    @property
    def left_dtype(self) -> DType:
        return self.mfma.second if self.swap else self.mfma.first

    @property
    def right_dtype(self) -> DType:
        return self.mfma.first if self.swap else self.mfma.second

    @cached_property
    def left(self) -> Layout:
        """Over (i, k)."""
        if self.swap:
            return self._operand(_reordered(self.mfma.second_layout, ("j", "k"), ("i", "k")))
        return self._operand(self.mfma.first_layout)

    @cached_property
    def right(self) -> Layout:
        """Over (k, j)."""
        if self.swap:
            return self._operand(_reordered(self.mfma.first_layout, ("k", "i"), ("k", "j")))
        return self._operand(self.mfma.second_layout)

    @cached_property
    def result(self) -> Layout:
        """Over (i, j)."""
        layout = self.mfma.result_layout
        return _reordered(layout, ("j", "i"), ("i", "j")) if self.swap else layout

    def _operand(self, layout: Layout) -> Layout:
        """With the steps as slots on top of k, and k's bits permuted."""
        at, inside = layout.names.index("k"), layout.bits("k")
        steps = [_unit(len(layout.axes), at, bit) for bit in range(inside, len(self.kperm))]
        axes = tuple((name, len(self.kperm) if name == "k" else bits) for name, bits in layout.axes)

        def permuted(vectors: Sequence[Vector]) -> tuple[Vector, ...]:
            return tuple(v[:at] + (_permute(v[at], self.kperm),) + v[at + 1 :] for v in vectors)

        return Layout(axes, permuted([*layout.slots, *steps]), permuted(layout.lanes))


def product(mfma: Mfma, steps: int = 1, swap: bool = False) -> Product:
    """The product with k in the instruction's own order."""
    return Product(mfma, swap, tuple(range(log2(mfma.k * steps, "k of all steps"))))


def wide(mfma: Mfma, access: int, steps: int, swap: bool = False) -> Product:
    """The product whose lanes hold runs of `access` consecutive k, as one access of an operand gives them.

    Several steps share one access: a 16-byte read of f16 feeds its halves to two instructions. `access` elements,
    a power of two of at least the instruction's; `steps` must hold whole accesses.

    >>> from tl2hip.plan.layout.mfma import MFMAS
    >>> wide(MFMAS[0], 8, 2).kperm
    (0, 1, 3, 2)
    """
    inner, run = log2(mfma.per_lane, "elements of a lane"), log2(access, "elements of an access")
    lanes, total = log2(mfma.k, "k") - inner, log2(mfma.k * steps, "k of all steps")
    if not inner <= run <= total - lanes:
        raise ValueError(f"{access} elements of an access are not shared by {steps} steps of {mfma.per_lane}")
    shared = run - inner
    moved = [*range(run, run + lanes), *range(inner, run)]
    return Product(mfma, swap, (*range(inner), *moved, *range(inner + lanes + shared, total)))


def fitted(mfma: Mfma, held: Layout, swap: bool = False) -> Product | None:
    """The product whose left operand over (i, k) already lies in registers as `held` does, up to the slots' order.

    Solves kperm, as for the weights of attention, which are the result of another product. None where a lane would
    need another lane's elements. Slots of `held` along i are further atoms of the product.
    """
    plain = product(mfma, max(1, (1 << held.bits("k")) // mfma.k), swap).left
    if held.bits("k") != plain.bits("k") or held.names != ("i", "k") or held.waves or held.repeat:
        return None
    kperm: dict[int, int] = {}
    for (i, k), (wanted_i, wanted_k) in zip(held.lanes, plain.lanes, strict=True):
        if i != wanted_i or bool(k) != bool(wanted_k) or k & (k - 1):
            return None
        if k:
            kperm[wanted_k.bit_length() - 1] = k.bit_length() - 1
    free = [k.bit_length() - 1 for i, k in held.slots if k and not i and not k & (k - 1)]
    places = [bit for bit in range(plain.bits("k")) if bit not in kperm]
    if len(free) != len(places) or len({*free, *kperm.values()}) != plain.bits("k"):
        return None
    kperm.update(zip(places, free, strict=True))
    return Product(mfma, swap, tuple(kperm[bit] for bit in range(plain.bits("k"))))


def _unit(axes: int, at: int, bit: int) -> Vector:
    return tuple(1 << bit if axis == at else 0 for axis in range(axes))


def _permute(value: int, perm: Sequence[int]) -> int:
    return sum((value >> bit & 1) << to for bit, to in enumerate(perm))


def _reordered(layout: Layout, order: tuple[str, ...], names: tuple[str, ...]) -> Layout:
    """The layout with its axes in another order and under other names."""
    at = [layout.names.index(name) for name in order]

    def picked(vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple(tuple(v[a] for a in at) for v in vectors)

    axes = tuple((name, layout.axes[a][1]) for name, a in zip(names, at, strict=True))
    return replace(
        layout, axes=axes, slots=picked(layout.slots), lanes=picked(layout.lanes), waves=picked(layout.waves)
    )
