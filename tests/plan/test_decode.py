"""Decode attention: which nests are it, how blocks share its keys, and that all ways give what Python gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import Plan

SPELLED = Path(__file__).parent / "decodes.py"


def plan_of(name: str) -> Plan:
    found = convert(SPELLED)[name].plan
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["paged", "contiguous", "windowed", "any_page"])
def test_found(name: str) -> None:
    """Keys in pages or not, weights stored or not, three to twenty heads that share keys."""
    kernels = {k.name for k in plan_of(name).kernels}
    assert kernels >= {f"{name}_kernel_whole", f"{name}_kernel_slices", f"{name}_merge"}


@pytest.mark.parametrize("name", ["contiguous", "windowed", "any_page"])
def test_right(name: str) -> None:
    """All kernels run, of whole rows and of slices, and give what Python gives."""
    report = prove(SPELLED, name, shapes=2, large=3, modes=("normal", "edges"), machine=True)
    assert report.good, report
    assert all(report.ran.values()), report


def test_lengths() -> None:
    """No key, one, a page, and one key more than all waves of a block take at a time."""
    given = ({"B": 5, "P": 9, "W": 3}, {"B": 2, "P": 3, "W": 17}, {"B": 1, "P": 0, "W": 1})
    report = prove(SPELLED, "paged", shapes=0, large=0, given=given, modes=("normal",), machine=True)
    assert report.good, report
    assert all(report.ran.values()), report
