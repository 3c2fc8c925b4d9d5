"""Converts the kernels of a file and proves them, for tests of any stage."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from tl2hip import api
from tl2hip.prove.python import run_file
from tl2hip.prove.report import Report
from tl2hip.prove.verify import Options, verify


@functools.cache
def conversion(path: Path) -> api.Conversion:
    """What becomes of a file."""
    return api.convert(api.source_of(path))


@functools.cache
def convert(path: Path) -> dict[str, api.Converted]:
    """The kernels of a file by name; the file must convert without an error."""
    done = conversion(path)
    assert not done.errors, done.told
    return {k.name: k for k in done.kernels}


@functools.cache
def module(path: Path) -> ModuleType:
    """The file, run as a module of its own."""
    return run_file(path)


def prove(path: Path, kernel: str, text: str = "", **options: Any) -> Report:
    """What running one kernel of a file (or `text` in the place of what is printed) found, its Python beside it.

    Other kernels of the file may be refused.
    """
    (done,) = (k for k in conversion(path).kernels if k.name == kernel)
    assert done.nest is not None and done.plan is not None and done.printed is not None, conversion(path).told
    depths = {axis: tree.depth for axis, tree in done.plan.trees}
    function: Callable[..., Any] = getattr(module(path), kernel)
    how = Options(**{"plan": done.plan, "depths": depths, "in_place": done.plan.in_place, **options})
    how = replace(how, joins=done.plan.joins, written=done.nest if done.planned else None)
    nest = done.planned or done.nest
    return verify(nest, text or done.printed.text, done.printed.launcher, function, how)
