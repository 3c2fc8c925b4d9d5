"""Every kind of plan computes what Python does, on the emulated compute unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove

KERNELS = Path(__file__).parent / "kernels.py"


@pytest.mark.parametrize("name", convert(KERNELS))
def test_plan_is_right(name: str) -> None:
    report = prove(KERNELS, name, shapes=5, work=20_000, python_work=5_000)
    assert report.good, report.text
