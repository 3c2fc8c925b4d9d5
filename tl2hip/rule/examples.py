"""Examples in rule files: small kernels in comments under their rule, to be recognised or not.

    # hit: the usual three loops
    #     def product(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    #         for i in range(M):
    #             ...

A kernel is indented under its heading and ends with the first line that is no comment. The usual names (`f32`,
`Tensor`, `np`, `math`) and sizes in capitals are there without being imported or declared.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass

from tl2hip.nest.bounds import prove
from tl2hip.nest.build import build
from tl2hip.nest.inline import forward
from tl2hip.nest.ir import Nest
from tl2hip.source.problems.base import Report, show
from tl2hip.source.read import find, read
from tl2hip.source.span import Source

_HEADING = re.compile(r"#\s*(hit|miss):\s*(.*)")
_NAMES = "Tensor, Tile, dims, distinct, kernel, offsets, serial, f64, f32, f16, bf16, i64, i32, i16, i8, u8, u32"
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]*\b")


@dataclass(frozen=True, slots=True)
class Example:
    """One kernel under a rule: whether the rule should fit, what it shows, its text, and its line in the file."""

    rule: str
    hit: bool
    title: str
    text: str
    line: int


def examples(source: Source) -> tuple[Example, ...]:
    """The examples of a rule file, each with the rule that stands above it."""
    rules = _rules(source)
    out: list[Example] = []
    lines = source.lines
    for n, line in enumerate(lines):
        heading = _HEADING.fullmatch(line.strip())
        if heading is None:
            continue
        body: list[str] = []
        for after in lines[n + 1 :]:
            if not after.startswith("#") or _HEADING.fullmatch(after.strip()):
                break
            body.append(after[1:])
        above = max((at, name) for at, name in rules if at <= n) if any(at <= n for at, _ in rules) else (0, "")
        text = textwrap.dedent("\n".join(body)) + "\n"
        out.append(Example(above[1], heading[1] == "hit", heading[2], text, n + 1))
    return tuple(out)


def _rules(source: Source) -> list[tuple[int, str]]:
    """The functions under `@rule`, with their lines."""
    out = []
    for node in ast.parse(source.text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for d in node.decorator_list:
            called = d.func if isinstance(d, ast.Call) else d
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name == "rule":
                out.append((node.lineno, node.name))
    return out


def nest_of(example: Example) -> Nest | str:
    """The nest of an example's kernel, or what is wrong with it."""
    parameters = set(re.findall(r"(\w+)\s*:", example.text))
    sizes = sorted(set(_CAPITALS.findall(example.text)) - parameters)
    names = "".join(f"{name}, " for name in sizes)
    head = ["import math", "import numpy as np", f"from tl2hip import {_NAMES}"]
    head += [f'{names}= dims("{" ".join(sizes)}")'] if sizes else []
    source = Source("example", "\n".join((*head, "@kernel", example.text)))
    report = Report(source)
    module = read(source, report)
    function = find(module, module.kernels[0]) if module.kernels and not report.errors else None
    nest = build(function, module, report) if function is not None else None
    if nest is None:
        return "\n".join(show(p, source) for p in report.errors) or "there is no kernel in it"
    return prove(forward(nest))
