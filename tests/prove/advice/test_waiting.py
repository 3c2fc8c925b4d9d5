"""Rules about where waves wait: of hand-made loops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.prove.advice.handmade import LATE, LOAD, SAID, loads, matrix, said
from tests.prove.machine.modelled import FAST, lines, looped
from tl2hip.prove.advice import Figures, limit, remarks
from tl2hip.prove.advice.waiting import (
    lds_busier_than_matrix,
    vector_beside_matrix,
    waits_at_barriers,
    waits_on_lds,
    waits_on_loads,
)
from tl2hip.prove.machine.model import Busy, Cause, Settings

READ = "ds_read_b128 v[120:123], v124"
READS = {"ds_read_b128": {"lds": 8, "lds_free": 8, "bytes": 1024}}


@pytest.mark.parametrize(
    ("wait", "behind", "told"),
    [
        ("s_waitcnt vmcnt(0)", True, "nothing is prefetched, the loads are issued 1 instruction before"),
        ("s_waitcnt vmcnt(0)", False, "the prefetch is one tile deep"),
        ("s_waitcnt vmcnt(1)", False, "the prefetch is two tiles deep"),
        ("s_waitcnt vmcnt(2)", False, "the prefetch is three tiles deep"),
    ],
)
def test_how_deep_loads_are_prefetched(wait: str, behind: bool, told: str) -> None:
    remark = waits_on_loads(said(loads(wait, 20, behind=behind)))
    assert remark is not None and remark.place is not None
    at = 3 if behind else 23
    (share,) = [float(word) for word in remark.text.split() if word.isdigit()][:1]
    assert remark.text == f"waves wait {share:.0f} % on vmcnt at assembly line {at}: {told}" and share > 40
    assert remark.place.assembly == at and remark.weight == pytest.approx(share / 100, abs=0.01)


def test_a_loop_without_products_has_turns() -> None:
    """Of these only whole ones count: what is done beside is no work that hides a load."""
    work = lines(*["v_mul_f32_e32 v1, v2, v2"] * 8)
    for count, told in ((0, "nothing is prefetched, the loads are issued 9 instructions before"),
                        (1, "the prefetch is one turn of the loop deep"),
                        (2, "the prefetch is two turns of the loop deep")):  # fmt: skip
        trace = looped(lines(LOAD, work, f"s_waitcnt vmcnt({count})"), 40, 4, SAID)
        found = waits_on_loads(said(trace, loop={"valu": 8}))
        assert found is not None and found.text.endswith(told)


def test_code_without_a_loop() -> None:
    trace = loads("s_waitcnt vmcnt(0)", 8, behind=False)
    found = waits_on_loads(said(replace(trace, waves=tuple((*wave[:10], wave[-1]) for wave in trace.waves))))
    assert found is not None and found.text.endswith(": the loads are issued 9 instructions before")


def test_loads_that_are_there_in_time() -> None:
    assert waits_on_loads(said(loads("s_waitcnt vmcnt(0)", 20, behind=False), (FAST,))) is None


def test_waits_for_bandwidth_are_no_fault() -> None:
    """Nor for any unit that is used up: the limit is told."""
    slow = Settings(latency=0, bandwidth=1)
    f = said(loads("s_waitcnt vmcnt(0)", 4, behind=True), (slow,))
    assert f.shares(Cause.VMCNT)[0] > 0.5 and f.waiting(Cause.VMCNT) == ()
    assert waits_on_loads(f) is None and not remarks(f)
    assert limit(f) == "its limit is memory's bandwidth (busy 96 %)"
    # At one of the settings it is not: there it is said.
    assert waits_on_loads(said(loads("s_waitcnt vmcnt(0)", 4, behind=True), (slow, LATE))) is not None


def test_reads_of_lds_right_before_their_use() -> None:
    early = lines(READ, matrix(20), "s_waitcnt lgkmcnt(0)")
    late = lines(READ, "s_waitcnt lgkmcnt(0)", matrix(4))
    found = waits_on_lds(said(looped(late, 20, 4, READS), (FAST,)))
    assert found is not None
    assert found.text.endswith(
        " % on lgkmcnt at assembly line 3: the LDS reads for MFMA are issued 1 instruction before they are used"
    )
    assert waits_on_lds(said(looped(early, 20, 4, READS), (FAST,))) is None


def test_scalar_loads_in_a_loop() -> None:
    trace = looped(lines("s_load_dword s9, s[4:5], 0x0", "s_waitcnt lgkmcnt(0)", matrix(4)), 20)
    found = waits_on_lds(said(trace, (FAST,)))
    assert found is not None and ": the scalar loads are issued 1 instruction before" in found.text


def test_barriers() -> None:
    """Waves whose work differs meet at a barrier."""
    trace = looped(lines("s_barrier", matrix(4)), 20, 8)
    loop = {"mfma": 4, "barriers": 1, "total": 6}
    assert waits_at_barriers(said(looped(lines("s_barrier", matrix(20)), 20, 4), (FAST,), loop=loop)) is None
    short = tuple(s for s in trace.waves[0] if trace.kernel.code[s.at].name != "v_mfma_f32_16x16x16_f16")
    skewed = replace(trace, waves=(trace.waves[0], short, *trace.waves[2:4], *[short] * 4))
    found = waits_at_barriers(said(skewed, (FAST,), loop=loop))
    assert found is not None and found.text.endswith(
        " % at barriers, longest at assembly line 2: the loop has 1 barrier for 6 instructions"
    )


def figures(busy: Busy, **loop: object) -> Figures:
    """A loop of which it is said how busy units are."""
    f = said(loads("s_waitcnt vmcnt(0)", 20, behind=False), (FAST,), loop={"mfma": 8, **loop})
    (result,) = f.results
    hot = replace(result.loops[0], busy=busy, together=busy)
    return replace(f, results=(replace(result, loops=(hot,)),))


def test_lds_that_is_busier_than_the_matrix_units() -> None:
    found = lds_busier_than_matrix(figures(Busy(0.4, 0.1, 0.8, 0.2), lds_reads={"b128": 16}))
    assert found is not None and found.weight == pytest.approx(0.4)
    assert found.text == (
        "LDS is busy 80 %, the matrix units 40 %: 16 reads for 8 MFMA; "
        "a larger tile of each wave reads less for each"
    )
    assert lds_busier_than_matrix(figures(Busy(0.9, 0.1, 0.8, 0.2))) is None
    assert lds_busier_than_matrix(figures(Busy(0.1, 0.1, 0.3, 0.2))) is None  # neither is busy
    assert lds_busier_than_matrix(figures(Busy(0.4, 0.1, 0.8, 0.2), mfma=0)) is None


def test_vector_instructions_beside_products() -> None:
    found = vector_beside_matrix(figures(Busy(0.5, 0.42, 0.1, 0.2), valu=90))
    told = "vector instructions take 42 % of the time beside MFMA: 90 of them for 8 MFMA a turn of the loop"
    assert found is not None and found.text == told
    assert vector_beside_matrix(figures(Busy(0.5, 0.1, 0.1, 0.2), valu=9)) is None
    assert vector_beside_matrix(figures(Busy(0.0, 0.9, 0.1, 0.2), mfma=0)) is None


def test_one_loop_is_looked_at_at_all_settings() -> None:
    f = said(loads("s_waitcnt vmcnt(0)", 20, behind=False), (FAST, LATE))
    first, second = f.results
    # A loop that takes little of the time at one of the settings is still the one that matters.
    short = replace(second, wave_clocks=second.wave_clocks * 6)
    assert [getattr(part, "label", "") for part in replace(f, results=(first, short)).parts] == [".L0", ".L0"]
    rare = replace(first, wave_clocks=first.wave_clocks * 10)
    assert replace(f, results=(rare, short)).parts == (rare, short)


def test_no_unit_that_works_much_is_no_limit() -> None:
    assert limit(figures(Busy(0.1, 0.42, 0.1, 0.2))) == "no unit is busy for more than 42 % of the time"
    assert limit(figures(Busy(0.1, 0.1, 0.8, 0.2))) == "its limit is LDS (busy 80 %)"
