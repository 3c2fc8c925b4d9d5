"""A user's file as a module, from its text as it stands.

Python keeps compiled files by size and whole seconds: a file that is changed twice within one is run as it was.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn


class _FromText(SourceFileLoader):
    """A loader that neither reads nor writes compiled files."""

    def path_stats(self, path: Any) -> NoReturn:
        raise OSError("compiled files are not asked for")


def run_module(name: str, path: Path) -> ModuleType:
    """The module of a file, run now and known to `sys.modules` by this name; what the file raises goes through."""
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromText(name, str(path)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = kept
    return module
