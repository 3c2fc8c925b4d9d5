"""The model's facts: every instruction has a cost, and what it costs is what the sources say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.prove.machine.modelled import kernel, lines
from tl2hip.plan import gfx942
from tl2hip.plan.budget import waves
from tl2hip.prove.machine.executor import names
from tl2hip.prove.machine.meanings import matrix
from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.model import facts, settings
from tl2hip.prove.machine.model.decode import Act, decode
from tl2hip.prove.machine.model.facts import COSTS, Cost, Unit, cost
from tl2hip.prove.machine.model.loops import inner_loops
from tl2hip.prove.machine.operands import read
from tl2hip.prove.machine.program import NotUnderstood


def test_all_that_the_executor_runs_has_a_cost_and_nothing_else() -> None:
    assert set(COSTS) == set(names())
    classed = facts.TRANSCENDENTAL | facts.CONVERSIONS | facts.NEVER_BENEATH
    assert {one for one in classed if one not in COSTS} <= {
        "v_sin_f32", "v_cos_f32", "v_sin_f16", "v_cos_f16", "v_cvt_rpi_i32_f32",
    }  # fmt: skip
    assert not facts.TRANSCENDENTAL & facts.CONVERSIONS and not facts.TRANSCENDENTAL & facts.NEVER_BENEATH


def test_passes_follow_from_the_rate() -> None:
    """Products of a clock and compute unit: 512 of f16 and bf16 and so on (AMD CDNA 3 white paper)."""
    rates = {"f32": 128, "f64": 128, "xf32": 512, "f16": 1024, "bf16": 1024, "i8": 2048, "fp8": 2048, "bf8": 2048}
    for name, form in matrix.FORMS.items():
        work = form.m * form.m * form.k * form.blocks
        clocks = 4 * work / rates[form.a]  # of one of four SIMDs
        ours = 4 * COSTS[name].slots
        # Several small products at once reach half or less of the rate, but with f32.
        full = form.blocks == 1 or form.a == "f32" and form.m > 4
        assert ours == clocks if full else ours >= clocks, name
    assert {COSTS[name].slots for name in matrix.FORMS} == {2, 4, 8, 16}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("v_add_f32_e32 v0, v1, v2", Cost(Unit.VALU)),
        ("v_mul_lo_u32 v0, v1, v2", Cost(Unit.VALU)),
        ("v_exp_f32_e32 v0, v1", Cost(Unit.ALONE, 4, 4, transcendental=True)),
        ("v_cvt_f16_f32_e32 v0, v1", Cost(Unit.VALU, 4, 4)),
        ("v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", Cost(Unit.ALONE)),
        ("v_pk_mul_f16 v0, v1, v2", Cost(Unit.VALU)),
        ("s_add_i32 s0, s1, s2", Cost(Unit.SALU)),
        ("s_load_dword s0, s[2:3], 0x0", Cost(Unit.SALU, counter=Counter.SCALAR_LOAD)),
        ("ds_read_b128 v[0:3], v4", Cost(Unit.LDS, counter=Counter.LDS_ACCESS)),
        ("global_load_dword v0, v[2:3], off", Cost(Unit.VMEM, counter=Counter.VECTOR_LOAD)),
        ("s_cbranch_scc1 .L0", Cost(Unit.BRANCH)),
        ("s_waitcnt vmcnt(0)", Cost(Unit.OWN)),
        ("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", Cost(Unit.MATRIX, 4, 8)),
        ("v_mfma_f32_32x32x8_bf16 v[0:15], v[16:17], v[18:19], 0", Cost(Unit.MATRIX, 8, 12)),
        ("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]", Cost(Unit.MATRIX, 8, 12, holds_vector=True)),
    ],
)
def test_costs(line: str, expected: Cost) -> None:
    assert cost(read(line, 1)) == expected


def test_an_instruction_without_a_cost_is_refused() -> None:
    made = kernel(lines("v_add_f32_e32 v0, v1, v2", "s_endpgm"))
    other = replace(made.code[0], name="v_frobnicate_f32", text="v_frobnicate_f32_e32 v0, v1, v2")
    with pytest.raises(NotUnderstood, match="line 1: what the instruction v_frobnicate_f32 costs"):
        decode(replace(made, code=(other, made.code[1])), False)


def test_decoded_instructions() -> None:
    product = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"
    text = lines(product, "v_add_f32_e32 v5, v2, v9", "s_waitcnt vmcnt(3)", "s_nop 2", "s_sleep 0",
                 "ds_swizzle_b32 v1, v2", "global_load_dword v9, v[20:21], off", "s_endpgm")  # fmt: skip
    matrix_, add, wait, nop, sleep, move, load, end = decode(kernel(text), False)
    assert (matrix_.act, matrix_.busy, matrix_.vector, matrix_.alone, matrix_.late) == (Act.MATRIX, 16, 4, 24, 32)
    assert matrix_.made == matrix_.chained == (0, 1, 2, 3) and matrix_.touched == ()
    assert add.touched == (2,) and (add.vm, add.lgkm) == (63, 15)
    assert (wait.vm, wait.lgkm) == (3, 15)
    assert (nop.number, sleep.number) == (12, 4)
    assert (move.port, move.port_bytes, move.lgkm) == (2, 256, 14)
    assert load.vm == 62 and end.act is Act.END


def test_loops_are_those_of_the_flow() -> None:
    text = lines(".Louter:", "s_mov_b32 s4, 0", ".Linner:", "s_add_i32 s4, s4, 1", "s_cmp_lt_i32 s4, 9",
                 "s_cbranch_scc1 .Linner", "s_add_i32 s5, s5, 1", "s_cbranch_scc1 .Louter",
                 "s_branch .Lend", ".Lend:", "s_endpgm")  # fmt: skip
    (loop,) = inner_loops(kernel(text))
    assert (loop.label, loop.header, sorted(loop.code)) == (".Linner", 1, [1, 2, 3])


@pytest.mark.parametrize(
    ("registers", "accumulators", "lds", "count", "blocks"),
    [
        (64, 0, 0, 4, 8),
        (128, 0, 32768, 4, 2),
        (128, 0, 0, 4, 4),
        (216, 0, 65536, 8, 1),
        (24, 0, 0, 1, 32),
        (24, 0, 0, 2, 16),
        (24, 0, 0, 16, 2),
        (127, 128, 0, 4, 2),
        (5, 57, 0, 4, 7),  # AGPRs begin at a multiple of 4
        (65, 0, 0, 4, 7),
        (24, 0, 513, 4, 8),
    ],
)
def test_blocks_that_fit(registers: int, accumulators: int, lds: int, count: int, blocks: int) -> None:
    made = replace(kernel("s_endpgm"), vgprs=registers, agprs=accumulators, lds=lds)
    assert settings.resident(made, count) == blocks
    if count % 4 == 0 and not accumulators:  # what the planner counts with
        assert blocks * count // 4 == waves(registers, lds, 64 * count)


def test_a_block_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="more registers or LDS"):
        settings.resident(replace(kernel("s_endpgm"), vgprs=256), 16)


def test_the_planner_and_the_model_agree() -> None:
    ours = settings.REGISTERS, settings.REGISTER_STEP, settings.LDS_BYTES, facts.SIMDS, facts.WAVE_SLOTS
    assert ours == (gfx942.REGISTERS, gfx942.REGISTER_STEP, gfx942.LDS_BYTES, gfx942.SIMDS, gfx942.MAX_WAVES)


@pytest.mark.parametrize("wrong", [{"latency": -1}, {"bandwidth": 0.0}, {"scalar_latency": -1}])
def test_settings_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="more than nothing"):
        settings.Settings(**wrong)  # type: ignore[arg-type]
