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


def test_weights_are_rounded_to_f16_in_two_instructions_a_pair() -> None:
    k = converted(replace(KINDS["halves"], depth=128, width=128, score="s * f32(0.0883)"))
    assert k.printed is not None
    code = compile_device(k.printed.text).text
    loops = k.printed.text.count("f16_of_number(") // 2  # a loop has it at the first slice, and at all others
    for half in ("lo", "hi"):
        assert code.count(f"v_fma_mix{half}_f16") == 16 * loops


def test_narrow_rows_keep_two_waves_at_any_alignment() -> None:
    k = converted(KINDS["a window"])
    assert k.printed is not None
    for one in read_counters(compile_device(k.printed.text).text):
        assert not one.vgpr_spills and one.occupancy == 2


def test_plain_attention_keeps_two_waves() -> None:
    test_wide_rows_spill_nothing("halves")
