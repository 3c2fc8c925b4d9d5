"""Shared by the reader's tests: read a text, or put a few lines into a kernel and read that."""

from __future__ import annotations

from textwrap import indent

from tl2hip.source.nodes import Module
from tl2hip.source.problems.base import Report
from tl2hip.source.read import read
from tl2hip.source.span import Source

HEADER = """\
import math
import numpy as np
import tl2hip as tl
from tl2hip import Tensor, dims, f32, i32, kernel
M, N = dims("M N")
@kernel
def k(X: Tensor[f32, N], Y: Tensor[f32, N]):
"""
FIRST = HEADER.count("\n") + 1
"""The line of a kernel's first statement in `in_kernel`."""


def in_kernel(body: str) -> str:
    """A file with one kernel of these lines."""
    return HEADER + indent(body.strip("\n") + "\n", "    ")


def read_text(text: str, **options: object) -> tuple[Module, Report]:
    """The module of a text, and what was reported."""
    source = Source("kernel.py", text)
    report = Report(source)
    return read(source, report, **options), report  # type: ignore[arg-type]


def codes(text: str) -> list[tuple[str, int]]:
    """The codes and lines that a text is refused with."""
    return [(one.code, one.at.line) for one in read_text(text)[1].problems]
