"""What the machine makes of attention with wide rows: no spilled registers, two waves on a SIMD."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plan.attention.sources import converted
from tests.plan.attention.test_values import KINDS
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters

ALONE = ("slopes",)
"""What takes too many registers for a second wave."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_wide_rows_spill_nothing(kind: str) -> None:
    wide = replace(KINDS[kind], depth=128, width=128, score=KINDS[kind].score.replace("0.125", "0.0883"))
    k = converted(wide)
    assert k.printed is not None
    for one in read_counters(compile_device(k.printed.text).text):
        assert not one.vgpr_spills and not one.sgpr_spills and not one.scratch_bytes, one.name
        if one.name.endswith("_aligned"):
            assert one.occupancy == (1 if kind in ALONE else 2) and one.lds_bytes <= 32_768


def test_plain_attention_keeps_two_waves() -> None:
    test_wide_rows_spill_nothing("halves")
