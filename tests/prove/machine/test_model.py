"""The model of a compute unit on loops whose clocks are known."""

from __future__ import annotations

import pytest

from tests.prove.machine.modelled import FAST, clocks, kernel, lines, looped, modelled, products, straight
from tl2hip.prove.machine.model import STANDARD, Cause, Settings, Step, Trace, model

TAKEN = 32  # a taken branch: 8 slots
F16, WIDE, F32 = "v_mfma_f32_16x16x16_f16", "v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x2_f32"
ADD = "v_add_f32_e32 v{0}, v40, v41"


def adds(count: int) -> str:
    return lines(*(ADD.format(50 + k) for k in range(count)))


# ---- the matrix unit


@pytest.mark.parametrize(("name", "registers", "busy"), [(F16, 4, 16), (WIDE, 16, 32), (F32, 16, 64)])
def test_matrix_instructions_alone_keep_their_unit_busy(name: str, registers: int, busy: int) -> None:
    found = modelled(straight(products(name, registers, 4), 100))
    assert found.clocks == 400 * busy and found.busy.mfma == pytest.approx(1, abs=1e-3)
    assert found.waits[Cause.MATRIX] == 4 * (399 * (busy - 4))


def test_a_loop_of_long_matrix_instructions_hides_its_branch() -> None:
    found = modelled(looped(products(F32, 16, 4), 50))
    (loop,) = found.loops
    assert loop.clocks == 256 and loop.iterations == 4 * 49
    assert loop.busy.mfma == pytest.approx(1, abs=0.01)
    # The last of four issues 16 clocks before the unit is free; the branch after it takes longer.
    assert clocks(looped(products(F16, 4, 4), 50)) == 48 + 4 + TAKEN


def test_two_waves_of_a_simd_share_the_matrix_unit() -> None:
    found = modelled(straight(products(F16, 4, 4), 100), resident=2)
    assert found.clocks == 2 * 400 * 16 and found.busy.mfma == pytest.approx(1, abs=1e-3)
    # Two waves fill what one leaves open.
    assert modelled(looped(products(F16, 4, 4), 200), resident=2).loops[0].busy.mfma > 0.92
    (alone,) = modelled(looped(products(F16, 4, 4), 200)).loops
    assert alone.busy.mfma == pytest.approx(64 / 84, abs=0.01)


def test_a_product_is_read_late() -> None:
    product = "v_mfma_f32_16x16x16_f16 v[0:3], v[100:101], v[102:103], v[0:3]"
    # Four passes and three slots after the slot of its issue.
    assert clocks(looped(lines(product, "v_add_f32_e32 v50, v0, v1"), 20)) == 32 + 4 + TAKEN
    assert clocks(looped(lines(product, "v_add_f32_e32 v50, v60, v61"), 20)) == 8 + 4 + TAKEN - 4
    # What adds to all that an instruction of its kind made does not wait for it; what reads a part of it does.
    assert modelled(straight(product, 100)).clocks == 100 * 16
    part = "v_mfma_f32_4x4x4_16b_f16 v[2:5], v[100:101], v[102:103], v[2:5]"
    assert modelled(straight(lines(product, part))).clocks == 32 + 4 + 4
    for factors in ("v[0:1], v[102:103]", "v[102:103], v[0:1]"):
        found = modelled(straight(lines(product, f"v_mfma_f32_16x16x16_f16 v[4:7], {factors}, v[4:7]")))
        assert found.clocks == 32 + 16 and found.waits[Cause.DEPENDENCY] == 4 * 28


# ---- beside the matrix unit


def test_vector_instructions_go_beneath_a_matrix_instruction() -> None:
    assert modelled(straight(lines(products(WIDE, 16, 1), adds(7)), 50)).clocks == 50 * 32 + 4
    assert modelled(straight(lines(products(WIDE, 16, 1), adds(8)), 50)).clocks == 50 * 36 + 4
    found = modelled(straight(lines(products(WIDE, 16, 1), adds(7)), 50))
    assert found.busy.mfma == pytest.approx(1, abs=0.01) and found.busy.valu == pytest.approx(7 / 8, abs=0.01)


@pytest.mark.parametrize(
    "line",
    [
        "v_pk_fma_f32 v[50:51], v[40:41], v[42:43], v[44:45]",
        "v_dot2_f32_f16 v50, v40, v41, v42",
        "v_exp_f32_e32 v50, v40",
    ],
)
def test_what_never_goes_beneath_one_waits(line: str) -> None:
    held = 4 * (8 + 2)
    took = 16 if "exp" in line else 4
    assert modelled(straight(lines(products(WIDE, 16, 1), line), 50)).clocks == 50 * (held + took) + 4 * (took == 4)
    found = modelled(straight(lines(products(WIDE, 16, 1), line), 50))
    assert found.waits[Cause.MATRIX] == 4 * 50 * (held - 4)


def test_whether_transcendentals_go_beneath_one_is_a_parameter() -> None:
    trace = straight(lines(products(WIDE, 16, 1), "v_exp_f32_e32 v50, v40"), 50)
    assert modelled(trace, Settings(0, 1e9, transcendental_overlaps=True)).clocks == 50 * 32
    assert modelled(trace, FAST).clocks == 50 * (40 + 16)


def test_an_f32_matrix_instruction_lets_nothing_beneath() -> None:
    assert modelled(straight(lines(products(F32, 16, 1), adds(1)), 50)).clocks == 50 * (4 * 18 + 4) + 4


# ---- vector and scalar instructions


def test_a_chain_of_vector_instructions_takes_a_slot_each() -> None:
    chain = lines(*["v_add_f32_e32 v0, v0, v1"] * 10)
    assert clocks(looped(chain, 20)) == 10 * 4 + 4 + TAKEN - 4
    (loop,) = modelled(looped(chain, 20)).loops
    inside = 19 * (10 * 4 + TAKEN) + 11 * 4
    assert loop.window == inside and loop.busy.valu == pytest.approx(200 * 4 / inside, abs=1e-6)
    # Three waves have issued one before the fourth is there too.
    assert loop.together is not None and loop.together.valu == pytest.approx((200 * 4 - 3) / inside, abs=1e-6)
    assert modelled(straight(chain, 20), resident=3).clocks == 3 * 200 * 4 + 4
    # From different waves one of each kind issues in a slot.
    both = lines(*["v_add_f32_e32 v0, v0, v1", "s_add_i32 s4, s4, 1"] * 50)
    assert modelled(straight(both), resident=2).clocks == pytest.approx(2 * 50 * 4, abs=12)


def test_transcendentals_and_conversions_take_four_slots() -> None:
    assert modelled(straight(lines(*["v_exp_f32_e32 v0, v1"] * 10), 20)).clocks == 200 * 16
    assert modelled(straight("v_cvt_f32_i32_e32 v0, v1", 200)).clocks == 200 * 16
    assert modelled(straight("v_exp_f32_e32 v0, v1", 200), resident=2).clocks == 400 * 16


def test_pauses_and_priorities() -> None:
    found = modelled(straight(lines("s_nop 5", "v_add_f32_e32 v0, v0, v1"), 10))
    assert found.clocks == 10 * 28 + 4 and found.waits[Cause.PAUSE] == 4 * 10 * 20
    assert modelled(straight("s_sleep 2")).clocks == 128 + 4
    # Of two waves the later one raises its priority, and the other one waits until it has ended.
    made = kernel(lines("s_setprio 1", *[ADD.format(50)] * 50, "s_endpgm"))
    plain, raised = tuple(Step(at) for at in range(41, 52)), tuple(Step(at) for at in range(52))
    found = modelled(Trace(made, (*[plain] * 4, *[raised] * 4)))
    assert found.clocks == 4 * (50 + 10) + 4
    assert found.wave_clocks == 4 * (52 * 4 + found.clocks)
    first = modelled(Trace(made, (*[plain] * 4, *[raised[1:]] * 4)))
    assert first.clocks == found.clocks and first.wave_clocks == 4 * (11 * 4 + found.clocks)


# ---- LDS


def test_lds_is_shared_by_pairs_and_by_all() -> None:
    read = lines(*["ds_read_b128 v[0:3], v4"] * 8, "s_waitcnt lgkmcnt(0)")
    said = {"ds_read_b128": {"lds": 8, "bytes": 1024}}
    pair = 8 * 16 + 64  # two SIMDs have 64 bytes a clock
    assert clocks(looped(read, 50, 1, said)) == pytest.approx(pair + 8 + TAKEN, abs=8)
    many = modelled(looped(read, 50, 4, said), resident=4)
    assert many.loops[0].busy.lds == pytest.approx(1, abs=0.03)
    assert many.loops[0].clocks == pytest.approx(16 * 8 * 8, rel=0.03)
    # A conflict of two doubles it.
    twice = {"ds_read_b128": {"lds": 16, "bytes": 1024}}
    slow = modelled(looped(read, 50, 4, twice), resident=4)
    assert slow.loops[0].clocks == pytest.approx(2 * many.loops[0].clocks, rel=0.03)
    assert slow.loops[0].share(Cause.LGKMCNT) > 0.9


def test_lds_alone_is_late() -> None:
    said = {"ds_read_b32": {"lds": 2, "bytes": 256}}
    one = looped(lines("ds_read_b32 v0, v1", "s_waitcnt lgkmcnt(0)"), 20, 1, said)
    # Its issue, four clocks on the way, 64 until it is there.
    assert clocks(one) == 68 + 4 + TAKEN
    # A move between lanes takes the crossbar.
    assert clocks(looped(lines("ds_bpermute_b32 v0, v1, v2", "s_waitcnt lgkmcnt(0)"), 20, 1)) == 68 + 4 + TAKEN


def test_more_than_a_counter_counts_wait() -> None:
    said = {"ds_read_b32": {"lds": 2, "bytes": 256}}
    found = modelled(looped(lines(*["ds_read_b32 v0, v1"] * 17), 1, 1, said))
    waited = [place for place in found.places if Cause.LGKMCNT in place.waits]
    assert [place.line for place in waited] == [17]
    assert waited[0].waits[Cause.LGKMCNT] == 68 - 60


# ---- memory


def test_a_loop_bound_by_the_latency_of_memory() -> None:
    said = {"global_load_dwordx4": {"requests": 16, "bytes": 1024}}
    load = looped(lines("global_load_dwordx4 v[0:3], v[4:5], off", "s_waitcnt vmcnt(0)"), 20, 1, said)
    for latency in (200, 600):
        found = modelled(load, Settings(latency, 64.0))
        assert found.loops[0].clocks == 16 + latency + 4 + TAKEN
        assert found.loops[0].share(Cause.VMCNT) == pytest.approx((12 + latency) / (20 + latency + TAKEN), abs=0.01)


def test_a_loop_bound_by_the_bandwidth_of_memory() -> None:
    said = {"global_load_dwordx4": {"requests": 16, "bytes": 1024}}
    loads = lines(*["global_load_dwordx4 v[0:3], v[4:5], off"] * 8, "s_waitcnt vmcnt(7)")
    for bandwidth in (54.0, 27.0):
        found = modelled(looped(loads, 60, 4, said), Settings(200, bandwidth), resident=2)
        assert found.busy.memory == pytest.approx(1, abs=0.05)
        assert found.loops[0].clocks == pytest.approx(8 * 8 * 1024 / bandwidth, rel=0.05)


def test_counted_waits_wait_for_what_was_issued_first() -> None:
    said = {"global_load_dword": {"requests": 4}, "global_store_dword": {"requests": 4}}
    made = kernel(
        lines("global_load_dword v0, v[4:5], off", "s_nop 15", "global_store_dword v[4:5], v1, off",
              "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)", "s_endpgm")
    )  # fmt: skip
    trace = Trace(made, (tuple(Step(at, **said.get(one.name, {})) for at, one in enumerate(made.code)),))
    found = modelled(trace, Settings(400, 64.0))
    first, second = (place for place in found.places if Cause.VMCNT in place.waits)
    # The load is there at 4 + 400; the store, issued at 68, at 472.
    assert first.waits[Cause.VMCNT] == 404 - 72 and second.waits[Cause.VMCNT] == 472 - 408


def test_a_load_to_lds_is_there_when_memory_has_it_and_takes_the_banks() -> None:
    said = {"global_load_lds_dword": {"requests": 4, "lds": 2, "bytes": 512}}
    load = looped(lines("global_load_lds_dword v1, s[4:5]", "s_waitcnt vmcnt(0)"), 20, 1, said)
    found = modelled(load, Settings(400, 64.0))
    assert found.loops[0].clocks == 4 + 400 + 4 + TAKEN and found.busy.lds == pytest.approx(2 / 440, rel=0.1)


def test_a_flat_access_is_counted_twice() -> None:
    said = {"flat_load_dword": {"requests": 4}}
    for wait in ("vmcnt(0)", "lgkmcnt(0)"):
        load = looped(lines("flat_load_dword v1, v[2:3]", f"s_waitcnt {wait}"), 20, 1, said)
        assert clocks(load, settings=Settings(400, 64.0)) == 4 + 400 + 4 + TAKEN


def test_a_load_of_no_lane_is_done_after_those_before_it() -> None:
    loads = "global_load_dword v0, v[4:5], off", "global_load_dword v1, v[4:5], off"
    made = kernel(lines(*loads, "s_waitcnt vmcnt(1)", "s_endpgm"))
    steps = Step(0, requests=4), Step(1, idle=True), Step(2), Step(3)
    found = modelled(Trace(made, (steps,)), Settings(400, 64.0))
    assert found.places[2].waits[Cause.VMCNT] == 404 - 8


def test_a_scalar_load_has_its_own_latency() -> None:
    load = looped(lines("s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)"), 20, 1)
    assert clocks(load, settings=Settings(700, 27.0, scalar_latency=100)) == 100 + 4 + TAKEN


# ---- barriers and blocks


def test_waves_wait_at_a_barrier_for_the_slow_one() -> None:
    made = kernel(lines("s_barrier", "s_nop 15", "s_endpgm"))
    quick, slow = (Step(0), Step(2)), (Step(1), Step(1), Step(0), Step(2))
    found = modelled(Trace(made, (quick, quick, quick, slow)))
    barrier = found.places[0]
    # The slow one comes at 128, and all go on 16 clocks later.
    assert barrier.waits == {Cause.BARRIER: 3 * (128 + 16 - 4) + 12}
    assert found.clocks == 128 + 16 + 4
    # A wave that has ended is waited for by nobody.
    ended = modelled(Trace(made, ((Step(2),), quick)))
    assert ended.clocks == 16 + 4


def test_a_wave_that_does_not_end_is_refused() -> None:
    made = kernel(lines("s_barrier", "s_endpgm"))
    for waves in (((Step(0), Step(1)), (Step(0),)), ((Step(0), Step(1)), ())):
        with pytest.raises(ValueError, match="does not end"):
            model(Trace(made, waves), FAST, resident=1, blocks=1)


def test_a_block_that_ends_makes_room() -> None:
    trace = straight(products(F16, 4, 4), 10)
    assert modelled(trace, resident=1, blocks=3).clocks == pytest.approx(3 * 40 * 16, abs=3 * 20)
    found = modelled(trace, resident=2, blocks=6)
    assert found.clocks_a_block == pytest.approx(640, rel=0.02) and found.blocks == 6
    with pytest.raises(ValueError, match="needs blocks"):
        model(trace, FAST, resident=0)


# ---- what is known of whole kernels: classes are told apart


def exchanged(steps: int, *, apart: bool, waves: int = 8) -> Trace:
    """A block whose waves read from LDS and multiply by turns, a barrier after each. `apart`: half of them come
    to one more barrier before, and the other half to one more after: the ones read while the others multiply."""
    made = kernel(lines("s_barrier", *["ds_read_b128 v[116:119], v120"] * 6, "s_waitcnt lgkmcnt(0)", "s_barrier",
                        "s_setprio 1", products(WIDE, 16, 4), "s_setprio 0", "s_barrier", "s_endpgm"))  # fmt: skip
    last = len(made.code) - 1
    reads = [Step(at, lds=8 if at < 7 else 0, bytes=1024 if at < 7 else 0) for at in range(1, 10)]
    body = [*reads, *[Step(at) for at in range(10, 14)] * 4, *map(Step, range(14, last))]
    extra = [Step(0)] if apart else []
    late = (*extra, *body * steps, Step(last))
    early = (*body * steps, *extra, Step(last))
    return Trace(made, (early,) * (waves // 2) + (late,) * (waves // 2))


def test_waves_that_take_turns_keep_the_matrix_units_busier_than_waves_in_step() -> None:
    # A step of those in step: 1,024 clocks of products, after 384 of reads (24 for each pair of SIMDs), 64 until
    # the last one's result is there, and two barriers.
    for settings in STANDARD:
        assert modelled(exchanged(20, apart=True), settings).busy.mfma > 0.93
        in_step = modelled(exchanged(20, apart=False), settings)
        assert in_step.busy.mfma == pytest.approx(1024 / (1024 + 448 + 24), abs=0.01)
