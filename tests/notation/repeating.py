"""Repeats calls of kernels through the compiler's nest: a kernel's nest gives what its Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tl2hip.api import Options, nest_of
from tl2hip.nest import ir
from tl2hip.nest.run import run
from tl2hip.notation.bind import bind
from tl2hip.notation.home import home
from tl2hip.notation.kernels import Kernel
from tl2hip.source.load import load
from tl2hip.source.problems.base import Report, show
from tl2hip.source.read import find, read

F32_MATH = "TL361"
"""The warning that a function of `math` is computed in f32 where Python computes in f64."""


def nest(kernel: Kernel) -> tuple[ir.Nest | None, Report]:
    """The nest of a kernel, its text read from its file, and what was reported on the way."""
    source = load(home(kernel.function))
    report = Report(source)
    module = read(source, report)
    function = find(module, kernel.__name__)
    assert function is not None
    return nest_of(function, module, report, Options()), report


def repeat(kernel: Kernel, before: dict[str, Any], after: dict[str, Any], returned: Any) -> None:
    """Asserts that the nest, run on the arguments `before` a call, gives the arrays `after` it."""
    made, report = nest(kernel)
    errors = [problem for problem in report.problems if problem.severity == "error"]
    assert made is not None and not errors, "\n".join(show(e, report.source) for e in errors)
    arrays = {name: value for name, value in before.items() if isinstance(value, np.ndarray)}
    scalars = {name: value for name, value in before.items() if name not in arrays}
    sizes = bind(kernel.__name__, kernel._types, dict(before))
    for array in made.arrays:
        if array.name in arrays:
            pairs = zip(array.shape, arrays[array.name].shape, strict=True)
            sizes |= {extent.name: size for extent, size in pairs if isinstance(extent, ir.Dim)}
    loose = any(problem.code == F32_MATH for problem in report.problems)
    for name, got in run(made, arrays, scalars, sizes).items():
        expected = np.asarray(after.get(name, returned))
        assert got.dtype == expected.dtype
        tolerance = {"rtol": 1e-3, "atol": 1e-5} if loose else {"rtol": 0, "atol": 0}
        np.testing.assert_allclose(got.astype("f8"), expected.astype("f8"), **tolerance)
