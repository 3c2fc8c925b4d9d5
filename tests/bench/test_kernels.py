"""The table: its aims, its checks on compiled pieces, and every kernel in it converts."""

from __future__ import annotations

import pytest

from tests.bench import kernels as bench
from tests.bench.aims import Aim
from tests.bench.measure import before_the_first_wait, failed, figures, mixed, narrow, waiting_for_lds
from tests.bench.sources import OF_EVEN, Case, Tile
from tests.prove.emulate import kernels
from tl2hip import api
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import KernelCounters, read_counters
from tl2hip.source.span import Source


def _counted(text: str) -> KernelCounters:
    (kernel,) = read_counters(compile_device(text).text)
    return kernel


def test_aims() -> None:
    most, least, just = Aim("x", 1.5), Aim("x", 2, "words", least=True), Aim("x", True, "only x")
    assert most.missed({"x": 1.5}) == "" and most.missed({"x": 2}) == "x 2 > 1.5"
    assert least.missed({"x": 2}) == "" and least.missed({"x": 1}) == "words 1 < 2"
    assert just.missed({"x": True}) == "" and just.missed({"x": False}) == "only x: no"
    assert most.missed({}) == most.missed({"x": None}) == "x: nothing to measure"


def test_a_plain_product_fails_the_rows_that_it_should() -> None:
    rows = {why.partition(":")[0]: why for why in failed(_counted(kernels.GEMM), Tile(16, 16, 16, 1, 2), 4.0)}
    assert {"G1", "G2", "G3", "G4", "G5", "G8", "G9", "G10"} <= set(rows) and "G12" not in rows
    assert rows["G3"] == "G3: 1 dwordx2, 4 ushort" and rows["G5"] == "G5: 4 > 0"
    assert rows["G8"] == "G8: 0 < 12"


def test_the_figures_of_a_plain_product() -> None:
    found = figures(_counted(kernels.GEMM), None)
    inst = found["inst"]
    assert isinstance(inst, int) and found["per 1024"] == inst * 1024 / 16
    assert found["MFMA"] == 1 and found["FLOP/inst"] == 8192 / inst
    assert (found["wide loads"], found["in flight"], found["conflicts"]) == (False, 0, None)


def test_a_kernel_without_matrix_instructions_says_so() -> None:
    plain = _counted(kernels.SCALE)
    assert failed(plain, Tile(128, 128, 64, 4, 2), 0.0) == ("MFMA: none",)
    assert "per 1024" not in figures(plain, 0.0)


def test_a_plain_copy_fails_the_rows_of_memory() -> None:
    rows = {why.partition(":")[0] for why in failed(_counted(kernels.SCALE), None, None)}
    assert {"M1", "M3"} <= rows and "M4" not in rows


def test_spills_fail() -> None:
    body = "float a[300]; for (int k = 0; k < 300; ++k) a[k] = x[(i + k) % n]; float s = 0; \
            for (int k = 0; k < 300; ++k) s = s * 0.5f + a[(k * 7 + n) % 300]; y[i] = s;"
    text = kernels.planted(kernels.SCALE, "y[i] = by * x[i];", f"{{ {body} }}")
    assert any(why.startswith("spills: ") for why in failed(_counted(text), None, None))


def test_loads_in_a_row() -> None:
    load, wait = "global_load_dwordx4 v[0:3], v4, s[0:1]", "s_waitcnt vmcnt(0)"
    assert before_the_first_wait([load, load, "s_waitcnt lgkmcnt(0)", load, wait, load]) == 3
    assert before_the_first_wait([load]) == 1 and before_the_first_wait([wait]) == 0


def test_products_that_wait_for_lds() -> None:
    wait, product = "s_waitcnt vmcnt(3) lgkmcnt(0)", "v_mfma_f32_16x16x16_f16 v0, v1, v2, v0"
    assert waiting_for_lds([wait, "v_mov_b32 v0, v1", product, product]) == 1
    assert waiting_for_lds([wait, "s_barrier", product, "s_waitcnt lgkmcnt(1)", product]) == 0


def test_narrow_accesses_beside_wide_ones() -> None:
    load, short, jump = "global_load_dwordx4 v[0:3], v4, s[0:1]", "global_load_ushort v0, v4, s[0:1]", "s_branch .L"
    assert narrow([load, "global_store_dwordx4 v0, v[0:3], s[0:1]", jump, short]) == ""
    assert narrow([load, short, jump, load]) == "1 beside wide ones: ushort"
    assert narrow([short]) == "no access of 16 bytes"


def test_what_accesses_are_counted_in() -> None:
    summed, scaled = _counted(kernels.BLOCK_SUM), _counted(kernels.SCALE)
    assert summed.hot is not None and mixed(summed)[0] == summed.hot.own
    assert scaled.hot is None and mixed(scaled)[0] == scaled.whole


@pytest.mark.parametrize("case", bench.CASES, ids=lambda c: c.name)
def test_every_kernel_of_the_table_converts(case: Case) -> None:
    done = api.convert(Source("kernel.py", case.text), api.Options(sets=case.sets), stop_after="rules")
    (kernel,) = done.kernels
    assert not done.errors and kernel.nest is not None, done.told
    assert set(case.run) == set(kernel.nest.dims)


def test_cases_are_held_against_earlier_ones() -> None:
    names = [c.name for c in bench.CASES]
    assert len(set(names)) == len(names)
    for n, case in enumerate(bench.CASES):
        assert (case.even in names[:n]) is (OF_EVEN in case.aims)


def test_lines_of_the_table() -> None:
    case = Case("copy", "", "row", "any", "-", (Aim("inst", 1),))
    kernel = _counted(kernels.SCALE)
    found = figures(kernel, 0.0)
    line = bench.Line(case, kernel, found, ("M1: 1 dword",), ("inst 9 > 1",))
    row = bench.cells(line)
    assert len(row) == len(bench.HEAD) and row[0] == "copy" and row[-2:] == ("M1", "missed")
    head, first = bench.table([bench.HEAD, row]).splitlines()
    assert head.index("aims") == first.index("missed")
    assert bench.details(line)[-1] == "copy (scale_kernel) misses: inst 9 > 1"
