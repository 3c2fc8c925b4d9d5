"""Rung 0: faults planted in a printed text or its plan show in what the compiler says of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.proofs import convert
from tl2hip import api
from tl2hip.plan import fast
from tl2hip.plan.ir import Plan
from tl2hip.prove import compiled
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import KernelCounters, read_counters
from tl2hip.source.problems.base import Problem

GOLDEN = Path(__file__).parents[2] / "golden"
LDS = "__shared__ float lds_values_f32[4];"


def _printed(name: str) -> tuple[Plan, str]:
    (kernel,) = convert(GOLDEN / name / "kernel.py").values()
    assert kernel.plan is not None and kernel.printed is not None
    return kernel.plan, kernel.printed.text


@pytest.fixture
def softmax(monkeypatch: pytest.MonkeyPatch) -> tuple[Plan, str]:
    """The plan and the text that need no faster plan: a kernel, and one by vectors."""
    monkeypatch.setattr(fast, "PLANS", ())
    (kernel,) = api.convert(api.source_of(GOLDEN / "softmax" / "kernel.py")).kernels
    assert kernel.plan is not None and kernel.printed is not None and len(kernel.plan.kernels) == 2
    return kernel.plan, kernel.printed.text


def _counters(text: str) -> tuple[KernelCounters, ...]:
    return read_counters(compile_device(text).text)


def _found(plan: Plan, text: str) -> list[Problem]:
    return list(compiled.findings(plan, _counters(text)))


def _planted(text: str, old: str, new: str) -> str:
    assert old in text, f"{old!r} is not in the text: plant the fault elsewhere"
    return text.replace(old, new, 1)


@pytest.mark.parametrize("name", sorted(p.parent.name for p in GOLDEN.glob("*/kernel.py")))
def test_goldens_are_as_their_budgets_say(name: str) -> None:
    plan, text = _printed(name)
    assert [p.text for p in _found(plan, text) if p.severity == "error"] == []


def _near(name: str, assembly: str) -> list[Problem]:
    plan, _ = _printed(name)
    return list(compiled.hazards(assembly, [k.name for k in plan.kernels], plan.nest.at))


def test_a_wait_state_that_is_missing_is_found_in_the_kernels_of_a_plan() -> None:
    assembly = compile_device(_printed("softmax")[1]).text
    assert _near("softmax", assembly) == []
    planted = _planted(assembly, "\ts_nop 1\n", "\ts_nop 0\n")
    (found, *_) = _near("softmax", planted)
    assert (found.code, found.severity) == ("TL724", "error")
    told = r"softmax\w*: [a-z ]+: `.*` and `.*` need 2 wait states between them and have 1"
    assert re.fullmatch(told, found.text)
    assert _near("add", planted) == []


def test_code_that_is_not_known_is_not_looked_at_and_that_is_told() -> None:
    assembly = compile_device(_printed("softmax")[1]).text
    (found,) = _near("softmax", _planted(assembly, "\ts_nop 1\n", "\tv_frobnicate_b32 v0, v1\n"))
    assert (found.code, found.severity) == ("TL725", "warning")
    assert "the instruction v_frobnicate_b32" in found.text


def test_lds_that_the_plan_does_not_know_is_found(softmax: tuple[Plan, str]) -> None:
    plan, text = softmax
    (found,) = _found(plan, _planted(text, LDS, "__shared__ float lds_values_f32[64];"))
    assert found.code == "TL721"
    assert found.text == "softmax_kernel has 256 bytes of LDS; the plan has 16"


def test_the_scratch_of_a_reduction_that_nobody_reads_may_go(softmax: tuple[Plan, str]) -> None:
    plan, text = softmax
    one, other = _counters(text)
    assert list(compiled.findings(plan, (replace(one, lds_bytes=0), other))) == []
    (found,) = compiled.findings(plan, (replace(one, lds_bytes=8), other))
    assert found.text == "softmax_kernel has 8 bytes of LDS; the plan has 16"


def test_spilled_registers_and_scratch_are_found(softmax: tuple[Plan, str]) -> None:
    plan, text = softmax
    hold = " ".join(f'float h{n} = X[{n} * N]; asm volatile("" : "+v"(h{n}));' for n in range(80))
    used = "".join(f'asm volatile("" :: "v"(h{n}));' for n in range(80))
    wrong = _planted(text, LDS, f"{LDS}\n    {hold}\n    __syncthreads();\n    {used}")
    size = "amdgpu_flat_work_group_size(256, 256)"
    wrong = wrong.replace(size, f"{size}, amdgpu_waves_per_eu(8, 8)")  # leaves 64 registers
    found = [p for p in _found(plan, wrong) if p.severity == "error"]
    assert {p.code for p in found} == {"TL721"}
    assert any("spills" in p.text for p in found) and any("scratch memory" in p.text for p in found)


def test_registers_far_from_the_budget_are_found(softmax: tuple[Plan, str]) -> None:
    plan, text = softmax
    one, other = _counters(text)
    within = (one, replace(other, vgprs=other.vgprs + 10))
    assert list(compiled.findings(plan, within)) == []
    assert list(compiled.findings(plan, (one, replace(other, vgprs=200)))) == []  # and no wave is lost
    (found,) = compiled.findings(plan, (one, replace(other, vgprs=200, occupancy=2)))
    assert (found.code, found.severity) == ("TL723", "warning") and "takes 200 registers a lane" in found.text
    (found,) = compiled.findings(plan, (one, replace(other, vgprs=1)))
    assert (found.code, found.severity) == ("TL723", "warning") and "takes 1 registers a lane" in found.text


def test_a_promise_of_waves_that_is_not_kept_is_found(softmax: tuple[Plan, str]) -> None:
    plan, text = softmax
    one, other = _counters(text)
    kernels = tuple(replace(k, waves=2) for k in plan.kernels)
    promising = replace(plan, kernels=kernels)
    assert list(compiled.findings(promising, (one, other))) == []
    few, many = compiled.findings(promising, (replace(one, occupancy=1), replace(other, vgprs=200)))
    assert (few.code, many.code) == ("TL721", "TL721")
    assert few.text == "softmax_kernel runs 1 waves a SIMD; the plan promises 2"
    assert "200 registers" in many.text


def test_a_product_that_loses_the_sign_of_a_zero_is_found_in_what_clang_makes_of_plain_text() -> None:
    """Planted as the cast that was printed once."""
    plan, text = _printed("gemm_bias_gelu")
    kept = "__builtin_canonicalizef(x)"

    def lost(text: str) -> list[Problem]:
        return list(compiled.hazards(compile_device(text).text, [k.name for k in plan.kernels], plan.nest.at))

    assert lost(text) == []
    found = lost(_planted(text, kept, "x"))
    assert {(one.code, one.severity) for one in found} == {("TL726", "error")}
    assert re.fullmatch(r"gemm_bias_gelu_\w+: `v_fma_mix(lo|hi)_f16 .*, 0` adds \+0 to a product", found[0].text)
