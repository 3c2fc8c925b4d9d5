"""Loads kernel files of golden/ as modules, the way a user's own import would."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "golden"


def module(file: Path) -> ModuleType:
    """The module in `file`, run afresh."""
    spec = importlib.util.spec_from_file_location(f"kernel_of_{file.parent.name}", file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@functools.cache
def golden(name: str) -> ModuleType:
    """The module of golden/NAME/kernel.py."""
    return module(GOLDEN / name / "kernel.py")
