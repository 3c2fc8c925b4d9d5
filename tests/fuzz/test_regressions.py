"""Programs that once failed, run with the detectors."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

from tests.fuzz import regressions
from tests.fuzz.check import check
from tests.fuzz.generate import Program

NAMES = tuple(sorted(m.name for m in pkgutil.iter_modules(regressions.__path__)))


def case(name: str) -> ModuleType:
    """A case: `PROGRAM`, a kernel of the case's name; `CASES`, shapes with modes; `REFUSED` where it must be."""
    return importlib.import_module(f"{regressions.__name__}.{name}")


@pytest.mark.parametrize("name", NAMES)
def test_regression(name: str) -> None:
    found = case(name)
    (outcome,) = check(
        [Program(0, name, found.PROGRAM.strip() + "\n", frozenset())], detect=True, cases=found.CASES
    )
    wanted = getattr(found, "REFUSED", "")
    assert (outcome.verdict, outcome.code) == (("refused", wanted) if wanted else ("good", "")), outcome.told
    assert wanted or outcome.cases == len(found.CASES)
