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
    (nests.elementwise, 14),
    (nests.row_reduction, 15),
    (nests.into_element, 5),
    (nests.total, 5),
    (irregular.argmax, 6),
    (irregular.scatter, 7),
    (irregular.plain_scatter, 2),
    (nests.in_place, 4),
    (nests.swap, 2),
    (irregular.while_loop, 4),
    (irregular.scan, 4),
    (irregular.private_array, 4),
    (irregular.csr, 2),
    (irregular.flat, 3),
    (whole.row_slices, 10),
    (whole.whole_slices, 14),
    (whole.partial_slices, 3),
    (whole.between, 5),
    (whole.time_loop, 4),
    (whole.relax, 2),
    (whole.branch, 3),
    (whole.generator_sum, 2),
    (products.matrix_product, 1),
    (products.tiled_product, 4),
    (forms.read_back, 4),
    (forms.view, 3),
    (forms.column, 2),
    (forms.helper, 3),
    (forms.sequences, 7),
    (forms.shapes, 2),
    (forms.flags, 7),
    (forms.power_steps, 2),
    (forms.converge, 2),
    (forms.correlated, 2),
    (forms.reductions_by_numpy, 11),
    (forms.changed_name, 4),
    (forms.inner_update, 3),
    (forms.nest_after_nest, 3),
    (forms.written_again, 4),
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
    for k in range(w.weighted(((1, 5), (2, 5), (3, 2)))):
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
    if not made or (w.chance(0.25) and _stores(w)):
        return
    chosen = made if len(made) > 1 and w.chance(0.8) else made[-1:]
    w.mark("array returned" if len(chosen) == 1 else "several arrays returned")
    types = [f"NDArray[{NUMPY[a.dtype]}]" for a in chosen]
    w.returns = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
    w.line(f"return {', '.join(a.name for a in chosen)}")
