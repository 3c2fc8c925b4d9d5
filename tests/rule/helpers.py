"""Nests out of texts, and what the rules find in them."""

from __future__ import annotations

import textwrap

from tests.notation.loading import kernel_file
from tl2hip.api import Options, nest_of
from tl2hip.nest.ir import Idiom, Nest
from tl2hip.rule import Applied, apply, load_rules
from tl2hip.source.problems.base import Report
from tl2hip.source.read import find, read
from tl2hip.source.span import Source

HEAD = """\
import math
import numpy as np
from tl2hip import Tensor, dims, f16, f32, f64, i32, kernel
M, N, K, L, B, H = dims("M N K L B H")
"""


def nest_of_text(text: str) -> Nest:
    """The nest of the first kernel of a text, under the usual imports."""
    return _nest(Source("k.py", HEAD + textwrap.dedent(text)))


def nest_of_golden(name: str) -> Nest:
    """The nest of a kernel in golden/ or tests/kernels."""
    path = kernel_file(name)
    return _nest(Source(path.name, path.read_text()))


def _nest(source: Source) -> Nest:
    report = Report(source)
    module = read(source, report)
    function = find(module, module.kernels[0])
    assert function is not None
    nest = nest_of(function, module, report, Options())
    assert nest is not None, report.problems
    return nest


def applied(nest: Nest) -> Applied:
    return apply(nest, load_rules())


def idioms(nest: Nest, rule: str) -> list[Idiom]:
    """The idioms of one rule in a nest."""
    return [i for i in applied(nest).nest.idioms if i.rule == rule]
