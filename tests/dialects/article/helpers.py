"""Article kernels as text: run on NumPy, and through their nest."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from typing import Any

import numpy as np

from tl2hip.api import Options, nest_of
from tl2hip.nest.check import verify
from tl2hip.nest.ir import Dim, Nest
from tl2hip.nest.run import run
from tl2hip.source.problems.base import Problem, Report, show
from tl2hip.source.read import find, read
from tl2hip.source.span import Source

HEAD = "import math\n\nimport numpy as np\nimport tl2hip as tl\n\n"


def converted(
    text: str, sets: Mapping[str, int] | None = None, tiles: Mapping[str, int] | None = None, head: str = HEAD
) -> tuple[Nest | None, Report]:
    """The nest of the one kernel in a text, and what was reported."""
    report = Report(Source("k.py", head + text))
    module = read(report.source, report)
    (name,) = module.kernels
    function = find(module, name)
    assert function is not None and not module.refused
    return nest_of(function, module, report, Options(sets or {}, tiles or {})), report


def nest(text: str, sets: Mapping[str, int] | None = None, tiles: Mapping[str, int] | None = None) -> Nest:
    """The nest of a kernel that converts."""
    made, report = converted(text, sets, tiles)
    assert made is not None, "\n".join(show(p, report.source) for p in report.problems)
    verify(made)
    return made


def refusals(text: str, sets: Mapping[str, int] | None = None) -> list[tuple[str, str]]:
    """Code and underlined text of each error."""
    made, report = converted(text, sets)
    assert made is None and report.errors
    return [(p.code, underlined(p, report.source)) for p in report.errors]


def underlined(problem: Problem, source: Source) -> str:
    at = problem.at
    line = source.lines[at.line - 1]
    return line[at.column : at.end_column if at.end_line == at.line else len(line)]


def kernel(text: str) -> Any:
    """The name `kernel` of a text that is run as Python."""
    whole = HEAD + text
    linecache.cache["<article>"] = (len(whole), None, whole.splitlines(True), "<article>")
    names: dict[str, Any] = {}
    exec(compile(whole, "<article>", "exec", dont_inherit=True), names)
    return names["kernel"]


def both(text: str, *arrays: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The outputs by name that the text's kernel gives on NumPy, and those of its nest run on noise."""
    made = nest(text)
    given = kernel(text)(*arrays)
    outputs = given if isinstance(given, tuple) else (given,)
    inputs = [a for a in made.arrays if a.role == "parameter"][: len(arrays)]
    results = [a for a in made.arrays if a.role == "parameter"][len(arrays) :]
    assert [a.name for a in (*inputs, *results)] == list(made.order)
    passed = dict(zip([a.name for a in inputs], arrays, strict=True))
    passed |= {a.name: np.full(o.shape, 77, o.dtype) for a, o in zip(results, outputs, strict=True)}
    sizes: dict[str, int] = {}
    for a in (*inputs, *results):
        pairs = zip(a.shape, passed[a.name].shape, strict=True)
        sizes |= {extent.name: size for extent, size in pairs if isinstance(extent, Dim)}
    got = run(made, passed, {}, sizes)
    return dict(zip([a.name for a in results], outputs, strict=True)), got
