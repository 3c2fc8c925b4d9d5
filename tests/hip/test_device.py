"""Printed files compile for gfx942 without a warning, and the machine code is what the text promises."""

from __future__ import annotations

import re

import pytest

from tests.hip import plans
from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, I8, I32, I64
from tl2hip.hip import print_plan
from tl2hip.nest.ir import Const
from tl2hip.plan.ir import Plan
from tl2hip.prove.compiler import compile_device

ALL_WARNINGS = '#pragma clang diagnostic warning "-Wall"\n'


def assembly(plan: Plan) -> str:
    """gfx942 assembly of a plan that compiles cleanly under -Wall and calls nothing."""
    made = compile_device(ALL_WARNINGS + print_plan(plan).text)
    assert made.warnings == ""
    assert "s_swappc" not in made.text
    return made.text


PLANS = {
    "gemm": plans.gemm(),
    "host": plans.host_program(),
    "sum f64": plans.reductions(F64, 256, (("+", Const(0.0, F64)),)),
    "max bf16": plans.reductions(BF16, 64, (("max", Const(0.0, BF16)),)),
    "any": plans.reductions(BOOL, 128, (("or", Const(False, BOOL)),)),
    "argmax": plans.extreme("first_max", 256),
    "scatter f16": plans.scatter(F16, ("+", "max")),
    "scatter i8": plans.scatter(I8, ("+", "&")),
    "scatter i64": plans.scatter(I64, ("+", "min")),
    "plain scatter": plans.scatter(I32, ("+", "*", "max"), atomic=False),
}


@pytest.mark.parametrize("name", PLANS)
def test_it_compiles_without_a_warning_or_a_call(name: str) -> None:
    text = assembly(PLANS[name])
    assert re.search(r"ScratchSize: 0\b", text)


def test_a_wave_sum_is_six_dpp_adds() -> None:
    text = assembly(plans.row_sum())
    steps = re.findall(r"v_add_f32_dpp v\d+, v\d+, v\d+ (\S+)", text)
    expected = ["quad_perm:[1,0,3,2]", "quad_perm:[2,3,0,1]", "row_half_mirror", "row_mirror", "row_bcast:15"]
    assert steps == [*expected, "row_bcast:31"]
    assert "ds_bpermute" not in text and len(re.findall(r"s_barrier", text)) == 2


def test_vectors_are_one_access() -> None:
    text = assembly(plans.vectors(F32, 4))
    assert "global_load_dwordx4" in text and "global_store_dwordx4" in text
    assert not re.search(r"global_load_dword ", text)


def test_an_integer_sum_uses_the_hardware_atomic() -> None:
    assert "global_atomic_add " in assembly(plans.scatter(I32, ("+",)))
    assert "global_atomic_add_x2" in assembly(plans.scatter(I64, ("+",)))
    assert "global_atomic_cmpswap" in assembly(plans.scatter(F32, ("max",)))


def test_the_block_size_is_the_compilers_too() -> None:
    assert ".max_flat_workgroup_size: 256" in assembly(plans.row_sum())
    assert ".max_flat_workgroup_size: 64" in assembly(plans.vectors(F32, 4))
