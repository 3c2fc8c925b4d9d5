"""Scans of rows: a block for each row, right at every length, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.lanes_ir import Prefix
from tl2hip.plan.walk import all_stmts

ROWS = Path(__file__).parent / "row_scans.py"
SHAPES = ((0, 5), (5, 0), (1, 1), (3, 64), (2, 65), (3, 257), (2, 1025), (2, 2100))
FEW = {"modes": ("integers", "normal"), "shapes": 0, "large": 0, "python_work": 2_000, "steps": 40_000}
IN_A_THREAD = ("short", "down_columns")


def _shapes(name: str) -> tuple[dict[str, int], ...]:
    nest = convert(ROWS)[name].nest
    assert nest is not None
    if nest.dims == ("N",):
        return tuple({"N": n} for n in (0, 1, 5, 66, 130))
    return tuple(dict(zip(nest.dims, shape, strict=False)) for shape in SHAPES)


@pytest.mark.parametrize("name", convert(ROWS))
def test_every_length_is_right(name: str) -> None:
    report = prove(ROWS, name, given=_shapes(name), **FEW)
    assert report.good, report.text


@pytest.mark.parametrize("name", convert(ROWS))
def test_long_rows_are_scanned_by_blocks(name: str) -> None:
    plan = convert(ROWS)[name].plan
    assert plan is not None
    scanned = any(isinstance(s, Prefix) for k in plan.kernels for s in all_stmts(k.body))
    assert scanned == (name not in IN_A_THREAD)


FAULTS = {
    "a tile that does not count": ("y_vector;\n            s_so_far += s_tile;", "y_vector;"),
    "no barrier before the parts are written again": ("__syncthreads();\n    return x;", "return x;"),
    "no barrier before the parts are read": ("__syncthreads();\n    all = ", "all = "),
    "the value after the row": ("s = s_so_far;\n        // row_scans.py:19", "// row_scans.py:19"),
    "a row that goes on from the one before": ("float s = 0.0f;\n", "static float s = 0.0f;\n"),
    "a rest left out": ("tile = whole; tile < N;", "tile = whole; tile < N - 1;"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    printed = convert(ROWS)["rows"].printed
    assert printed is not None and right in printed.text, f"{fault}: plant it elsewhere"
    some = {**FEW, "modes": ("integers",), "python_work": 0}
    shapes = ({"M": 3, "N": 1}, {"M": 2, "N": 2100}, {"M": 2, "N": 1025})
    report = prove(ROWS, "rows", printed.text.replace(right, wrong), given=shapes, **some)
    assert not report.good, fault
