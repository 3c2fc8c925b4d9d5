"""Strips: straight bodies over several axes by vectors of several rows, at every size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import LoadVector, Plan, StoreVector
from tl2hip.plan.walk import all_stmts

STRIPS = Path(__file__).parent / "strips.py"
EVEN = {"rope_by_twos_of_any_row"}
"""Kernels that ask for rows of whole pairs."""

ROWS = ((0, 5), (5, 0), (1, 1), (3, 7), (16, 512), (17, 515), (33, 72))


def _plan(name: str) -> Plan:
    plan = convert(STRIPS)[name].plan
    assert plan is not None
    return plan


def _shapes(name: str) -> tuple[dict[str, int], ...]:
    nest = convert(STRIPS)[name].nest
    assert nest is not None
    sizes = ({"M": m, "N": n, "V": m // 2, "L": 1 + m // 3, "H": 1 + n % 5, "B": 1 + m % 3} for m, n in ROWS)
    found = tuple({d: s[d] for d in nest.dims} for s in sizes)
    if name in EVEN:
        found = tuple({**s, "N": s["N"] // 2 * 2} for s in found)
    return (*found, {**found[-1], "L": 131}) if name == "heads" else found


def _text(name: str) -> str:
    printed = convert(STRIPS)[name].printed
    assert printed is not None
    return printed.text


@pytest.mark.parametrize("name", convert(STRIPS))
def test_every_size_is_right(name: str) -> None:
    report = prove(STRIPS, name, shapes=0, given=_shapes(name), python_work=2_000)
    assert report.good, report.text


NO_STRIPS = {"from_first", "from_first_in_place", "every_other"}
"""Kernels that would compute again what their own stores have changed, or store between what they leave alone."""


@pytest.mark.parametrize("name", sorted({*convert(STRIPS)} - NO_STRIPS))
def test_four_loads_are_under_way_and_go_by_vectors(name: str) -> None:
    plan = _plan(name)
    assert not [m for m in plan.misses if m.plan == "strips of rows"]
    for k in plan.kernels:
        assert k.block == (256, 1, 1)
        moved = [s for s in all_stmts(k.body) if isinstance(s, LoadVector | StoreVector)]
        outer = {a for a in k.arrays if a not in ("ids", "slot", "s")}
        assert outer == {s.array for s in moved}
        assert {s.streamed for s in moved if isinstance(s, StoreVector)} == {True}


def test_launches_follow_one_another_where_a_grid_is_too_small() -> None:
    text = _text("biased")
    assert text.count("1048576") == 1 and text.count("16777216") == 1
    text = text.replace("1048576", "2").replace("16777216", "32").replace("65535", "1").replace("33553920", "512")
    shapes = ({"M": 70, "N": 1100},)
    report = prove(STRIPS, "biased", text, shapes=0, given=shapes, python_work=0)
    assert report.good, report.text


FAULTS = {
    "a tile that is not whole": ("i_tile + 16 <= M && ", ""),
    "a vector that is not whole": ("&& j_first + lane * 8 + 8 <= N", ""),
    "a row too few": ("min_i64(i_tile + 16, M)", "min_i64(i_tile + 16, M - 1)"),
    "a part that starts late": ("part + v * 4", "part + 1 + v * 4"),
    "a bias of another column": ("&b[j_first + lane * 8]", "&b[j_first + lane * 4]"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    text = _text("biased")
    assert right in text, f"{fault}: plant it elsewhere"
    text = text.replace(right, wrong)
    assert not prove(STRIPS, "biased", text, shapes=0, given=_shapes("biased"), python_work=0).good, fault


def test_a_row_that_is_not_there_gives_zeros() -> None:
    text = _text("embedding")
    fault = text.replace("row_2 < V", "row_2 <= V")
    assert fault != text
    given = ({"M": 5, "V": 0, "N": 16}, {"M": 5, "V": 3, "N": 16})
    assert prove(STRIPS, "embedding", shapes=0, given=given, python_work=0).good
    assert not prove(STRIPS, "embedding", fault, shapes=0, given=given, python_work=0).good
