"""Rule files in folders of their own."""

from __future__ import annotations

import textwrap
from pathlib import Path

IMPORTS = """\
import math
from tl2hip.rule import Axis, Const, Extent, Fn, Op, Value, combine, contract, elementwise, row_reduce, rule
"""
"""Two lines above the text of every rule."""

TOTAL = """
@rule
def total(f: Fn, N: Extent, z: Value, i: Axis) -> Value:
    s = z
    for j in range(N):
        s += f(i, j)
    return s

@total.becomes
def totalled(f: Fn, N: Extent, z: Value, i: Axis) -> Value:
    return z + row_reduce("+", f, over=N, row=i)
"""


def folder(path: Path, **files: str) -> Path:
    """A folder of rule files by name, each under the usual imports."""
    for name, text in files.items():
        (path / f"{name}.py").write_text(IMPORTS + textwrap.dedent(text).lstrip("\n"))
    return path
