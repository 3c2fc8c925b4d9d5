"""Tile kernels are proven: what is printed, run on the emulated compute unit, is what they give on NumPy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notation.test_typing import mypy, needs_node, pyright, ruff
from tests.proofs import convert, prove

FILE = Path(__file__).with_name("kernels.py")
NAMES = [line[4:].partition("(")[0] for line in FILE.read_text(encoding="utf-8").split("\n") if line[:4] == "def "]


def test_all_kernels_are_read() -> None:
    assert sorted(convert(FILE)) == sorted(NAMES) and len(NAMES) == 11


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_is_proven(name: str) -> None:
    report = prove(FILE, name, shapes=8, work=30_000, python_work=10_000)
    assert report.good, report.text
    assert any(c.python == "equal" for c in report.cases), report.text


def test_checkers_are_content() -> None:
    assert mypy(FILE).returncode == 0, mypy(FILE).stdout
    assert ruff(FILE).returncode == 0, ruff(FILE).stdout


@needs_node
def test_pyright_is_content() -> None:
    done = pyright(FILE)
    assert done.returncode == 0, done.stdout
