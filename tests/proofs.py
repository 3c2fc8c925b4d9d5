"""Converts the kernels of a file and proves them, for tests of any stage."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tl2hip import api
from tl2hip.prove.report import Report
from tl2hip.prove.verify import Options, verify


@functools.cache
def convert(path: Path) -> dict[str, api.Converted]:
    """The kernels of a file by name; the file must convert without an error."""
    done = api.convert(api.source_of(path))
    assert not done.errors, done.told
    return {k.name: k for k in done.kernels}


@functools.cache
def module(path: Path) -> ModuleType:
    """The file, run as a module of its own."""
    name = f"kernels_of_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def prove(path: Path, kernel: str, **options: Any) -> Report:
    """What verifying one kernel of a file found, its Python function beside it."""
    done = convert(path)[kernel]
    assert done.nest is not None and done.plan is not None and done.printed is not None
    depths = {axis: tree.depth for axis, tree in done.plan.trees}
    function: Callable[..., Any] = getattr(module(path), kernel)
    return verify(
        done.nest,
        done.printed.text,
        done.printed.launcher,
        function,
        Options(depths=depths, in_place=done.plan.in_place, **options),
    )
