"""A kernel and its twin come out as each does alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tl2hip import api
from tl2hip.hip.context import Used
from tl2hip.hip.kernel import print_kernels
from tl2hip.hip.naming import name_plan
from tl2hip.hip.twin import changes
from tl2hip.nest.ir import Const
from tl2hip.plan.ir import DeviceKernel, DeviceStmt, Let, Plan
from tl2hip.plan.matrix_ir import FetchFirst
from tl2hip.plan.walk import all_stmts, map_stmts
from tl2hip.source.span import Span

GOLDEN = Path(__file__).parents[2] / "golden"


def plan_of(name: str) -> Plan:
    plan = api.convert(api.source_of(GOLDEN / name / "kernel.py")).kernels[0].plan
    assert plan is not None
    return plan


@pytest.mark.parametrize("name", ["gemm", "gemm_bias_gelu", "gemm_fp8", "two_mm"])
def test_each_as_if_alone(name: str) -> None:
    plan = plan_of(name)
    names = name_plan(plan)
    pairs = list(zip(plan.kernels, plan.kernels[1:], strict=False))
    assert sum(changes(a, b) is not None for a, b in pairs) >= 1
    alone = [print_kernels(replace(plan, kernels=(k,)), names, Used()) for k in plan.kernels]
    assert print_kernels(plan, names, Used()) == [text for texts in alone for text in texts]


@pytest.fixture(scope="module")
def pair() -> tuple[DeviceKernel, DeviceKernel]:
    first, other, *_ = plan_of("gemm").kernels
    return first, other


def changed(kernel: DeviceKernel, old: DeviceStmt, new: DeviceStmt) -> DeviceKernel:
    return replace(kernel, body=map_stmts(lambda s: new if s is old else s, kernel.body))


def test_changes_are_the_reads(pair: tuple[DeviceKernel, DeviceKernel]) -> None:
    found = changes(*pair)
    assert found is not None
    assert sorted(type(s).__name__ for s in found.values()) == (
        ["Fetch"] * 6 + ["FetchFirst"] * 2 + ["Let"] + ["Window"] * 2
    )


def test_a_number_that_differs_makes_no_twin(pair: tuple[DeviceKernel, DeviceKernel]) -> None:
    first, other = pair
    let = next(s for s in all_stmts(other.body) if isinstance(s, Let) and s.form == "wide")
    assert changes(first, changed(other, let, replace(let, value=Const(0, let.value.dtype)))) is None


def test_a_line_quoted_in_one_makes_no_twin(pair: tuple[DeviceKernel, DeviceKernel]) -> None:
    first, other = pair
    fetch = next(s for s in all_stmts(other.body) if isinstance(s, FetchFirst))
    assert changes(first, changed(other, fetch, replace(fetch, at=Span(5, 1, 5, 9)))) is None


def test_a_loop_that_differs_makes_no_twin(pair: tuple[DeviceKernel, DeviceKernel]) -> None:
    first, other = pair
    assert changes(first, replace(other, block=(128, 1, 1))) is None
    assert changes(first, replace(other, body=other.body[:-1])) is None
