"""Tile kernels as text: run on NumPy, and through their nest."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.dialects.article.helpers import converted as article_converted
from tests.dialects.article.helpers import underlined
from tl2hip.nest.check import verify
from tl2hip.nest.ir import Dim, Nest
from tl2hip.nest.run import run
from tl2hip.source.problems.base import Report, show

HEAD = """\
import math
import numpy as np
import tl2hip as tl
from tl2hip import Lds, Tensor, Tile, bf16, dims, f16, f32, f64, group, i8, i32, i64, kernel, lanes, mfma, serial
from tl2hip import stages, tile, u8, unroll, waves, xf32

M, N, K, D = dims("M N K D")
"""


def converted(
    text: str, sets: Mapping[str, int] | None = None, tiles: Mapping[str, int] | None = None, head: str = HEAD
) -> tuple[Nest | None, Report]:
    """The nest of the one kernel in a text, and what was reported."""
    return article_converted(text, sets, tiles, head)


def nest(text: str, sets: Mapping[str, int] | None = None, tiles: Mapping[str, int] | None = None) -> Nest:
    """The nest of a kernel that converts."""
    made, report = converted(text, sets, tiles)
    assert made is not None, text + "\n".join(show(p, report.source) for p in report.problems)
    verify(made)
    return made


def refusals(text: str) -> list[tuple[str, str]]:
    """Code and underlined text of each error."""
    made, report = converted(text)
    assert made is None and report.errors
    return [(p.code, underlined(p, report.source)) for p in report.errors]


def kernel(text: str) -> Any:
    """The kernel `f` of a text that is run as Python."""
    whole = HEAD + text
    linecache.cache["<tiles>"] = (len(whole), None, whole.splitlines(True), "<tiles>")
    names: dict[str, Any] = {}
    exec(compile(whole, "<tiles>", "exec", dont_inherit=True), names)
    return names["f"]


def both(text: str, *arrays: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The arrays by name after the text's kernel `f` has run on NumPy, and after its nest has.

    Its whole-number parameters are 3.
    """
    made = nest(text)
    names = [a.name for a in made.arrays if a.role == "parameter"]
    expected = dict(zip(names, (a.copy() for a in arrays), strict=True))
    kernel(text)(*expected.values())
    passed = dict(zip(names, (a.copy() for a in arrays), strict=True))
    sizes: dict[str, int] = {}
    for a in made.arrays:
        if a.role == "parameter":
            pairs = zip(a.shape, passed[a.name].shape, strict=True)
            sizes |= {extent.name: size for extent, size in pairs if isinstance(extent, Dim)}
    return expected, passed | run(made, passed, {s.name: 3 for s in made.scalars}, sizes)
