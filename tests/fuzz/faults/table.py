"""The table of faults, which the functions that plant them enter themselves into."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

import tl2hip

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """How to plant a fault, in programs of which features to look for it, and whether the detectors are needed."""

    plant: Plant
    features: frozenset[str]
    detect: bool = False
    most: bool = False
    """Whether more than half of the accepted programs must find it, not just one."""


FAULTS: dict[str, Fault] = {}


def fault(name: str, *features: str, detect: bool = False, most: bool = False) -> Callable[[Plant], Plant]:
    """Enters a function that plants a fault."""

    def enter(plant: Plant) -> Plant:
        assert name not in FAULTS, name
        FAULTS[name] = Fault(plant, frozenset(features), detect, most)
        return plant

    return enter


@cache
def modules() -> tuple[str, ...]:
    """Every module of tl2hip, imported: what is imported while a fault is planted would keep it."""
    found = [m.name for m in pkgutil.walk_packages(tl2hip.__path__, "tl2hip.") if not m.name.endswith("__main__")]
    for name in found:
        importlib.import_module(name)
    return tuple(found)


def everywhere(patch: Patch, right: Any, wrong: Any) -> None:
    """Puts a function in the place of another one in every module that knows it by name."""
    for name in modules():
        for known, value in list(vars(sys.modules[name]).items()):
            if value is right:
                patch.setattr(sys.modules[name], known, wrong)


def instead(patch: Patch, right: Any, wrong: Any) -> None:
    """Gives a function the body of another one, which closes over nothing: for those that tables hold."""
    patch.setattr(right, "__code__", wrong.__code__)
