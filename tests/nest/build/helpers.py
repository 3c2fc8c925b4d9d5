"""Small kernels as text: built, shown as Python, run, and compared with the function itself on NumPy."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tl2hip.dtypes import F32, DType
from tl2hip.nest.build import BuildOptions, build
from tl2hip.nest.check import verify
from tl2hip.nest.ir import Nest
from tl2hip.nest.show import show
from tl2hip.source.problems.base import Problem, Report
from tl2hip.source.problems.base import show as show_problem
from tl2hip.source.read import read
from tl2hip.source.span import Source

HEAD = """
import math

import ml_dtypes
import numpy as np
from tl2hip import (Tensor, Tile, bf16, bool_, dims, distinct, f16, f32, f64, f8e4m3, f8e5m2, i16, i32, i64, i8,
    kernel, lanes, lds, serial, stages, strides, tiled, u32, u8, unroll, vec, waves)

M, N, K = dims("M N K")
"""


def built(text: str, **options: Any) -> tuple[Nest | None, tuple[Problem, ...], Source]:
    """The nest of the one kernel in a text, and the problems."""
    source = Source("k.py", HEAD + text)
    report = Report(source)
    module = read(source, report)
    (name,) = module.kernels
    (function,) = (f for f in module.functions if f.name == name)
    nest = build(function, module, report, BuildOptions(**options))
    return nest, tuple(report.problems), source


def nest_of(text: str, **options: Any) -> Nest:
    """The nest of a kernel that converts."""
    nest, problems, source = built(text, **options)
    assert nest is not None, "\n".join(show_problem(p, source) for p in problems)
    verify(nest)
    return nest


def codes(text: str, **options: Any) -> list[str]:
    """The codes of all problems, in order."""
    return [p.code for p in built(text, **options)[1]]


def refusal(text: str, **options: Any) -> tuple[str, str]:
    """Code and underlined text of the one problem of a kernel that does not convert."""
    nest, problems, source = built(text, **options)
    assert nest is None
    errors = [p for p in problems if p.severity == "error"]
    assert len(errors) == 1, "\n".join(show_problem(p, source) for p in problems)
    return errors[0].code, underlined(errors[0], source)


def underlined(problem: Problem, source: Source) -> str:
    at = problem.at
    line = source.lines[at.line - 1]
    return line[at.column : at.end_column if at.end_line == at.line else len(line)]


def function_of(text: str, name: str) -> Any:
    """The user's function, as Python makes it."""
    scope: dict[str, Any] = {"__name__": "k"}
    exec(compile(HEAD + text, "k.py", "exec"), scope)
    return scope[name]


def shown_function(nest: Nest) -> Any:
    scope: dict[str, Any] = {}
    text = show(nest)
    exec(compile(text, "nest.py", "exec"), scope)
    return scope[nest.name]


def same(a: Any, b: Any) -> bool:
    """Bit for bit, NaN equal to NaN."""
    x, y = np.asarray(a), np.asarray(b)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind in "iub":
        return bool(np.array_equal(x, y))
    wide = (x.astype(np.float64), y.astype(np.float64))
    return bool(np.array_equal(*wide, equal_nan=True)) and bool(
        np.array_equal(np.signbit(wide[0]) | np.isnan(wide[0]), np.signbit(wide[1]) | np.isnan(wide[1]))
    )


def check(text: str, *args: Any, math: DType = F32, close: float = 0, **options: Any) -> Nest:
    """Asserts that the shown nest changes and returns what the function does, within a relative `close`."""
    nest = nest_of(text, math=math, **options)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    function = function_of(text, nest.name)
    with np.errstate(all="ignore"):
        expected = function(*theirs)
        got = shown_function(nest)(*mine)
    pairs = [*zip(mine, theirs, strict=True)]
    if expected is not None:
        pairs += zip(*[(x if isinstance(x, tuple) else (x,)) for x in (got, expected)], strict=True)
    for a, b in pairs:
        if isinstance(b, float | int) and not isinstance(b, np.generic):
            b = np.asarray(b)
            a = np.asarray(a).astype(b.dtype)
        if close:
            x, y = np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64)
            assert np.allclose(x, y, rtol=close, atol=close, equal_nan=True), f"{a}\n{b}\n{show(nest)}"
        else:
            assert same(a, b), f"got {a!r}\nwant {b!r}\n{show(nest)}"
    return nest
