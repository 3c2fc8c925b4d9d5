"""The shrinker: what it leaves of a failing program still fails in the same way, and is small."""

from __future__ import annotations

import pytest

from tests.fuzz.check import check
from tests.fuzz.faults import FAULTS
from tests.fuzz.generate import Program
from tests.fuzz.shrink import shrunk

PROGRAM = """
@kernel
def f(x: Tensor[i32, N], y: Tensor[i32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        z[i] = z[i] * 2
    for i in range(N):
        t = x[i] + 1
        y[i] = t // 3 - x[i] * 5
"""


def test_a_failure_is_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS["floor division is C's"].plant(monkeypatch)
    (found,) = check([Program(3, "f", PROGRAM.lstrip(), frozenset())])
    assert found.verdict == "failed"
    small = shrunk(found, tries=40)
    assert (small.verdict, small.code) == ("failed", found.code)
    assert "//" in small.program.text and "z[i] =" not in small.program.text
    assert len(small.program.text) < 0.8 * len(found.program.text)
