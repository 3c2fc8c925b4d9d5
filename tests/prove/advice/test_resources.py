"""Rules about registers, scratch memory, LDS and compute units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.prove.advice.handmade import IN_SCRATCH, LATE, NONE, counters, loads, said
from tests.prove.machine.modelled import FAST
from tl2hip.prove.advice import Figures, limit, remarks
from tl2hip.prove.advice.resources import few_blocks, few_waves, scratch
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters


def test_spilled_registers() -> None:
    told = counters({"scratch": 6}, vgpr_spills=12, sgpr_spills=1, scratch_bytes=48)
    found = scratch(Figures(told, ()))
    assert found is not None and found.weight == 1.0
    assert found.text == (
        "12 vector registers and 1 scalar register spilled, 48 bytes a thread are in scratch memory: "
        "the loop goes there with 6 instructions"
    )
    outside = scratch(Figures(counters({}, scratch_bytes=48, whole=replace(NONE, scratch=2)), ()))
    assert outside is not None and outside.weight < 0.1
    assert scratch(Figures(counters({}), ())) is None


def test_an_array_that_the_compiler_keeps_in_scratch() -> None:
    (one,) = read_counters(compile_device(IN_SCRATCH).text)
    (found,) = remarks(Figures(one, ()))
    assert found.rule == "scratch" and found.text.startswith("272 bytes a thread are in scratch memory: ")


def waiting(**facts: Any) -> Figures:
    """A loop that waits for its loads, of a kernel of which the compiler says something."""
    return said(loads("s_waitcnt vmcnt(0)", 4, behind=True), facts=facts)


def test_few_waves_by_registers() -> None:
    found = few_waves(waiting(occupancy=1, vgprs=256, agprs=24))
    assert found is not None
    assert found.text == (
        "1 wave a SIMD cannot cover the 96 % that waves wait for data: "
        "one more wave needs 256 registers a lane or fewer, it takes 280"
    )


def test_few_waves_by_lds() -> None:
    found = few_waves(waiting(occupancy=1, lds_bytes=40_000))
    assert found is not None
    assert found.text.endswith(" one more block needs 32,768 bytes of LDS or fewer, it takes 40,000")
    two = waiting(occupancy=2, lds_bytes=30_000, vgprs=200)
    found = few_waves(replace(two, results=(replace(two.results[0], resident=2),)))
    assert found is not None and found.text.startswith("2 waves a SIMD cannot cover the ")
    assert found.text.endswith(
        ": one more block needs 21,845 bytes of LDS or fewer, it takes 30,000, "
        "and one more wave needs 168 registers a lane or fewer, it takes 200"
    )


def test_waves_that_are_enough() -> None:
    light = said(loads("s_waitcnt vmcnt(0)", 20, behind=False), (FAST,), facts={"occupancy": 1, "vgprs": 300})
    assert few_waves(light) is None  # its waves do not wait
    many = waiting(vgprs=300)
    (result,) = many.results
    assert few_waves(replace(many, results=(replace(result, resident=3),))) is None


@pytest.mark.parametrize(("blocks", "asked", "speaks"), [(16, True, True), (16, False, False), (304, True, False)])
def test_few_blocks(blocks: int, asked: bool, speaks: bool) -> None:
    """Of sizes that nobody chose nothing is said."""
    trace = replace(loads("s_waitcnt vmcnt(0)", 20, behind=False), grid=(blocks, 1, 1))
    found = few_blocks(said(trace, (LATE,), asked=asked))
    assert (found is not None) == speaks
    if found:
        assert found.text == "16 blocks for 304 compute units of an MI300X: 288 have nothing to do"


def test_a_kernel_without_a_fault() -> None:
    f = said(loads("s_waitcnt vmcnt(0)", 20, behind=False), (FAST,))
    assert remarks(f) == () and limit(f).startswith("its limit is the matrix units (busy ")


def test_the_weightiest_comes_first() -> None:
    trace = loads("s_waitcnt vmcnt(0)", 20, behind=True)
    found = remarks(said(trace, facts={"scratch_bytes": 8}, loop={"scratch": 1, "mfma": 20}))
    assert [one.rule for one in found][:2] == ["scratch", "waits_on_loads"]
    assert [one.weight for one in found] == sorted((one.weight for one in found), reverse=True)
