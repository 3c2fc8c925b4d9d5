"""Loads kernel files as modules, the way a user's own import would."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "golden"


def module(file: Path) -> ModuleType:
    """The module in `file`, run afresh."""
    spec = importlib.util.spec_from_file_location(f"kernel_of_{file.parent.name}_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def kernel_file(name: str) -> Path:
    """golden/NAME/kernel.py, or tests/kernels/NAME.py for a kernel that is no golden."""
    file = GOLDEN / name / "kernel.py"
    return file if file.exists() else ROOT / "tests" / "kernels" / f"{name}.py"


@functools.cache
def golden(name: str) -> ModuleType:
    """The module of a kernel file."""
    return module(kernel_file(name))
