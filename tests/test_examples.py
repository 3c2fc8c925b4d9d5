"""Every example in a docstring gives what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for p in (ROOT / "tl2hip").rglob("*.py")
    if ">>> " in p.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed


def test_a_wrong_example_is_found() -> None:
    (example,) = doctest.DocTestFinder().find(_wrong, "wrong", globs={})
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None).failed == 1


def _wrong() -> None:
    """
    >>> 1 + 1
    3
    """
