"""Faults planted in one of several kernels of a nest, which only some shapes and alignments launch, are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.hip import Printed
from tl2hip.prove.report import Report

GOLDEN = Path(__file__).parent.parent.parent / "golden"
FEW = {"shapes": 1, "large": 3, "modes": ("integers", "normal"), "python_work": 0}


def _printed(name: str) -> Printed:
    printed = convert(GOLDEN / name / "kernel.py")[name].printed
    assert printed is not None
    return printed


def planted(text: str, function: str, right: str, wrong: str) -> str:
    """The text with a piece of one function replaced, everywhere in it."""
    start = next(m.start() for m in re.finditer(rf"\b{function}\(", text))
    end = text.index("\n}\n", start)
    body = text[start:end]
    assert right in body, f"{right!r} is not in {function}: plant the fault elsewhere"
    return text[:start] + body.replace(right, wrong) + text[end:]


def _verify(name: str, function: str = "", right: str = "", wrong: str = "") -> Report:
    text = _printed(name).text
    text = planted(text, function, right, wrong) if function else text
    return prove(GOLDEN / name / "kernel.py", name, text, **FEW)


def _codes(report: Report) -> set[str]:
    return {p.code for p in report.problems if p.severity == "error"}


PRODUCTS = {
    "slices of the factors exchanged": ("lds_A[(start_A ^ 32) + ", "lds_A[start_A + "),
    "no barrier before the tile is overwritten": ("lds_barrier();  // every wave has its fragments", ""),
    "no barrier before the next tile is read": ("lds_barrier();  // the next tile is in LDS", ""),
    "a tile of the sum dropped": ("step < steps; ++step", "step < steps - 1; ++step"),
    "rows clamped to the first tile": (", M - 1) - i_tile)", ", 127) - i_tile)"),
    "rows and columns of the grid exchanged": ("i_number, j_number);", "j_number, i_number);"),
    "a row too many": ("if (i < M)", "if (i < M + 1)"),
    "the rest of the sum not cut off": ("K - (k_last + k_A)", "(i64)64"),
}


@pytest.mark.parametrize("fault", PRODUCTS)
@pytest.mark.parametrize("aligned", [True, False], ids=["aligned", "any alignment"])
def test_fault_in_a_kernel_of_a_product(fault: str, aligned: bool) -> None:
    kernel = _printed("gemm").launcher.kernels[0 if aligned else 1]
    report = _verify("gemm", kernel, *PRODUCTS[fault])
    assert not report.good, f"{fault} in {kernel} was not found:\n{report.text}"
    assert report.ran[kernel] > 0


ROWS = {
    "softmax_kernel_wave": ("total += total_part", "total += total_part * 1.0001f"),
    "softmax_kernel_block": ("first + v * 1024]);", "first + v * 1020]);"),
    "softmax_kernel_long": ("piece < N - 3;", "piece < N - 7;"),
}


@pytest.mark.parametrize("kernel", ROWS)
def test_fault_in_a_kernel_for_some_rows(kernel: str) -> None:
    report = _verify("softmax", kernel, *ROWS[kernel])
    assert not report.good and report.ran[kernel] > 0, report.text


@pytest.mark.parametrize("name", ["gemm", "softmax"])
def test_nothing_is_found_without_a_fault_and_each_kernel_runs(name: str) -> None:
    report = _verify(name)
    assert report.good, report.text
    assert all(n > 0 for n in report.ran.values()), report.text


def test_a_launcher_that_never_takes_a_kernel() -> None:
    kernel = _printed("gemm").launcher.kernels[0]
    report = _verify("gemm", "gemm", "K % 8 == 0", "K % 8 == 8")
    assert _codes(report) == {"TL712"} and f"{kernel} in no case" in report.text
