"""Each error file is refused with exactly what it says, and each code's page tells the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.errors.checks import CHECKS, WITHOUT_A_FILE
from tests.errors.expectations import expectations, observed
from tl2hip import api
from tl2hip.source.problems import catalogue
from tl2hip.source.problems.base import Problem

CATALOGUE = catalogue()
FILES = sorted(Path(__file__).parent.glob("TL*.py"))
HEADER = """\
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
"""
NO_KERNELS = {"TL102", "TL103", "TL104", "TL105", "TL117", "TL212", "TL305", "TL306", "TL316"}
"""Codes whose page shows no kernel that can be read as it stands, or one that a stage after the check refuses."""


def family(code: str) -> int:
    return int(code[2])


def checked_codes() -> list[str]:
    return sorted(code for code in CATALOGUE if family(code) in CHECKS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_refused_as_it_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = expectations(text)
    assert any(one.code == path.stem[:5] for one in expected), "the file's own code must be among its problems"
    found = observed(CHECKS[family(path.stem)](text))
    assert [str(one) for one in found] == [str(one) for one in expected]


def test_every_code_has_a_file() -> None:
    shown = {path.stem[:5] for path in FILES}
    assert shown <= set(CATALOGUE)
    assert [code for code in checked_codes() if code not in shown | WITHOUT_A_FILE.keys()] == []
    assert WITHOUT_A_FILE.keys().isdisjoint(shown)


def whole(code: str) -> str:
    """A page's code as a file of its own."""
    return code if "import" in code.split("\n")[0] and "tl2hip" in code else HEADER + code


def codes(kind: type[Problem], text: str) -> list[str]:
    return [one.code for one in CHECKS[family(kind.code)](whole(text))]


@pytest.mark.parametrize("code", [code for code in checked_codes() if code not in NO_KERNELS])
def test_the_example_of_a_page_meets_its_problem_and_the_rewrite_does_not(code: str) -> None:
    kind = CATALOGUE[code]
    assert set(codes(kind, kind.example)) == {code}
    assert codes(kind, kind.rewrite) == []


@pytest.mark.parametrize("code", [code for code in checked_codes() if code not in NO_KERNELS])
def test_the_rewrite_of_a_page_converts(code: str) -> None:
    """As a whole: read, built, planned and printed."""
    done = api.convert(api.source_of(whole(CATALOGUE[code].rewrite)))
    assert not done.errors, done.told
    assert done.kernels and all(k.printed for k in done.kernels)
