"""How far each kind of error file is taken: by the first digit of its code, text → problems."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.api import Options, convert, nest_of
from tl2hip.source.problems.base import Problem, Report
from tl2hip.source.read import read
from tl2hip.source.span import Source


def read_only(text: str) -> list[Problem]:
    """What the reader reports."""
    report = Report(Source("kernel.py", text))
    read(report.source, report)
    return report.problems


def built(text: str) -> list[Problem]:
    """What reading and building the nests reports."""
    report = Report(Source("kernel.py", text))
    module = read(report.source, report)
    for function in module.functions:
        if function.name in module.kernels and function.name not in module.refused:
            nest_of(function, module, report, Options())
    return report.problems


def converted(text: str) -> list[Problem]:
    """What all stages report."""
    return list(convert(Source("kernel.py", text)).problems)


CHECKS: dict[int, Callable[[str], list[Problem]]] = {1: read_only, 2: converted, 3: built, 4: converted}
"""The check of each family of codes."""

WITHOUT_A_FILE = {
    "TL102": "a file deep enough is made in the reader's tests",
    "TL103": "a file that cannot be read is no file",
    "TL104": "bytes that are no text cannot stand in a text file",
    "TL105": "what no known Python has",
    "TL212": "of a setting, not of a file",
    "TL305": "of a setting, not of a file",
    "TL306": "of a setting, not of a file",
    "TL316": "of types from outside, not of a file",
    "TL117": "older Pythons refuse it as syntax",
}
"""Codes of the families above that no text file can show, and why."""
