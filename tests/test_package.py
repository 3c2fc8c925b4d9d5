"""What is installed: every folder of code, every file that is not Python, and nothing that is not there."""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parent.parent


def _setuptools() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        tables: dict[str, Any] = tomllib.load(file)
    found: dict[str, Any] = tables["tool"]["setuptools"]
    return found


def test_every_package_is_listed() -> None:
    folders = (p.parent.relative_to(ROOT) for p in (ROOT / "tl2hip").rglob("__init__.py"))
    packages = sorted([".".join(f.parts) for f in folders] + ["tl2hip.rules"])
    assert sorted(_setuptools()["packages"]) == packages


def test_every_data_file_is_covered() -> None:
    packages = set(_setuptools()["packages"])
    patterns = _setuptools()["package-data"]["*"]
    for path in sorted((ROOT / "tl2hip").rglob("*")):
        if path.is_dir() or path.suffix in (".py", ".pyc"):
            continue
        home = path.parent
        while ".".join(home.relative_to(ROOT).parts) not in packages:
            home = home.parent
        inside = path.relative_to(home).as_posix()
        assert any(fnmatch.fnmatchcase(inside, p) and inside.count("/") == p.count("/") for p in patterns), path


def test_rules_are_a_package_of_tl2hip() -> None:
    import tl2hip.rules

    assert tl2hip.rules.__file__ is not None
