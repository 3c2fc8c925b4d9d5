"""Random programs: the text of a kernel for a seed, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz import forms, irregular, nests, products, whole
from tests.fuzz.kinds import NUMPY
from tests.fuzz.writer import FIXED, Part, Writer

HEAD = (
    '''"""Programs of the fuzzer."""

import math

import numpy as np
from numpy.typing import NDArray

from tl2hip import (
    Tensor, Tile, bf16, bool_, dims, distinct, f16, f32, f64, i8, i16, i32, i64, kernel, serial, stages, u8, u32,
    unroll,
)

M, N, K = dims("M N K")

'''
    + forms.HELPERS
)

PARTS: tuple[tuple[Part, int], ...] = (
    (nests.elementwise, 8),
    (nests.row_reduction, 18),
    (nests.into_element, 9),
    (nests.total, 7),
    (irregular.argmax, 10),
    (irregular.scatter, 10),
    (irregular.plain_scatter, 4),
    (nests.in_place, 8),
    (nests.swap, 4),
    (irregular.while_loop, 6),
    (irregular.scan, 4),
    (irregular.private_array, 5),
    (irregular.csr, 4),
    (irregular.flat, 4),
    (whole.row_slices, 16),
    (whole.whole_slices, 19),
    (whole.partial_slices, 7),
    (whole.between, 4),
    (whole.time_loop, 6),
    (whole.relax, 6),
    (whole.branch, 5),
    (whole.generator_sum, 4),
    (products.matrix_product, 1),
    (products.tiled_product, 5),
    (forms.read_back, 4),
    (forms.view, 5),
    (forms.column, 4),
    (forms.helper, 5),
    (forms.sequences, 10),
    (forms.shapes, 5),
    (forms.flags, 10),
    (forms.power_steps, 4),
    (forms.converge, 4),
    (forms.correlated, 4),
    (forms.reductions_by_numpy, 17),
    (forms.changed_name, 5),
    (forms.inner_update, 7),
    (forms.nest_after_nest, 4),
    (forms.written_again, 8),
)
"""The templates, each as often as its weight says."""


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel as text. `features` names what its writing used."""

    seed: int
    name: str
    text: str
    features: frozenset[str]


def program(seed: int) -> Program:
    """The program of a seed."""
    w = Writer(random.Random(f"tl2hip {seed}"))
    w.names |= FIXED
    for k in range(w.weighted(((1, 3), (2, 5), (3, 4)))):
        if k:
            w.mark("several nests")
        w.writing.clear()
        w.weighted(PARTS)(w)
    for dim in ("M", "N", "K"):
        _fix(w, dim)
    _return(w)
    name = f"fuzz_{seed}"
    head = f"@kernel\ndef {name}({', '.join(w.parameters)}) -> {w.returns}:"
    return Program(seed, name, "\n".join([head, *w.lines]) + "\n", frozenset(w.features))


def _fix(w: Writer, dim: str) -> None:
    """A parameter whose shape gives the dim, where the program uses the dim and none does yet."""
    if any(dim in a.extents and any(p.startswith(f"{a.name}:") for p in w.parameters) for a in w.arrays):
        return
    text = "\n".join((*w.lines, *w.parameters))
    if dim in text:
        w.parameter("f32", (dim,))


def _stores(w: Writer) -> bool:
    """Whether a parameter is stored to."""
    names = tuple(f"{p.partition(':')[0]}[" for p in w.parameters)
    return any(line.lstrip().startswith(names) for line in w.lines)


def _return(w: Writer) -> None:
    """A `return` of what was made inside: at times, and where nothing else would be seen."""
    made = [a for a in w.arrays if a.name in w.returned]
    if not made or (w.chance(0.15) and _stores(w)):
        return
    chosen = made if len(made) > 1 and w.chance(0.97) else made[-1:]
    w.mark("array returned" if len(chosen) == 1 else "several arrays returned")
    types = [f"NDArray[{NUMPY[a.dtype]}]" for a in chosen]
    w.returns = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
    w.line(f"return {', '.join(a.name for a in chosen)}")
