"""What is mutated: each kernel of the goldens, of tests/kernels and of tests/cases, with a neighbour behind it."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.mutants.places import file, functions, rows
from tl2hip import api
from tl2hip.prove.python import PythonFails, function, run_text
from tl2hip.source.span import Source

ROOT = Path(__file__).parents[3]
FILES = ("golden/*/kernel.py", "tests/kernels/*.py", "tests/cases/*.py")
NAME = "mutant.py"
NEIGHBOUR = "neighbour"
BESIDE = """

import tl2hip as _beside

_rows = _beside.dims("_rows")


@_beside.kernel
def neighbour(left: _beside.Tensor[_beside.f32, _rows], right: _beside.Tensor[_beside.f32, _rows]) -> None:
    for i in range(_rows):
        right[i] = left[i] + 1
"""
"""A kernel of its own: what is done to the one before it must not touch it."""
LEFT_OUT = ("tests/cases/floats:weak_start_bf16",)
"""Kernels that not every case has equal to Python: the start of this one is no bf16, and stays where M is 0."""
KNOWN = """import math
import numpy as np
from tl2hip import Lds, Tensor, Tile, dims, f16, f32, i8, kernel, lanes, serial, stages, tile, unroll, vec, waves
"""
"""Names that templates use."""


@dataclass(frozen=True, slots=True)
class Base:
    """A file with one kernel to mutate, and the neighbour."""

    name: str
    kernel: str
    text: str


@functools.cache
def corpus() -> tuple[Base, ...]:
    """Every kernel by itself, in the order of the files."""
    found: list[Base] = []
    for path in sorted(p for pattern in FILES for p in ROOT.glob(pattern)):
        if not path.stem.startswith(("test_", "__")):
            found += _bases(path)
    return tuple(found)


def _bases(path: Path) -> list[Base]:
    text = re.sub(r"\b1024\b", "12", path.read_text(encoding="utf-8"))  # sizes of the article's kernel
    where = path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/kernel")
    names = [k.name for k in api.convert(Source(NAME, text), stop_after="read").kernels]
    called = {n for name in names for n in _needed(text, name) if n != name}
    return [
        Base(f"{where}:{name}", name, _alone(text, name))
        for name in names
        if name not in called
        if f"{where}:{name}" not in LEFT_OUT
    ]


def _needed(text: str, name: str) -> set[str]:
    """The functions of a text that one of them names, or that statements at file level do."""
    at = file(text)
    outside = [s for s in at.tree.body if not isinstance(s, ast.FunctionDef)]
    named = {n.id for s in outside for n in ast.walk(s) if isinstance(n, ast.Name)}
    return {f.name for one in (name, *sorted(named)) for f in functions(at, one)}


def _alone(text: str, name: str) -> str:
    """The text with one kernel alone, what templates use above it and the neighbour behind it."""
    lines = text.splitlines()
    tree = ast.parse(text)
    kept = set(range(1, len(lines) + 1))
    needed = _needed(text, name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in needed:
            first, last = rows(node)
            kept -= set(range(first, last + 1))
    body = "\n".join(lines[k - 1] for k in sorted(kept)) + "\n"
    above = len(body) if not tree.body else body.index(_first_import(body))
    return re.sub(r"\n{4,}", "\n\n\n", body[:above] + KNOWN + body[above:]) + BESIDE


def _first_import(text: str) -> str:
    """From the first import or later `from __future__` on: what is known goes before it."""
    found = re.search(r"^(?!from __future__)(import|from) .*", text, re.MULTILINE)
    assert found is not None, text
    return found.group()


@functools.cache
def neighbour(line: int) -> str:
    """The HIP text of the neighbour whose decorator stands in a line of its file."""
    above = "\n" * (line - 1 - BESIDE[: BESIDE.index("@")].count("\n"))
    (kernel,) = api.convert(Source(NAME, above + BESIDE)).kernels
    assert kernel.printed is not None
    return kernel.printed.text


@functools.cache
def runnable(base: Base) -> Any:
    """The unchanged kernel as a function; None where the file needs what is not there."""
    try:
        return function(run_text(base.text, base.name), base.kernel, {})
    except PythonFails:
        return None
