"""Faults planted in printed HIP: verify finds each of them, and finds nothing in the text as it was printed."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import numpy as np
import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.prove.emulate import Buffer, Emulator
from tl2hip.prove.report import Report
from tl2hip.source.span import Source

GOLDEN = Path(__file__).parent.parent.parent / "golden"


def _verify(name: str, wrong: tuple[str, str] | None) -> Report:
    path = GOLDEN / name / "kernel.py"
    (kernel,) = convert(path).values()
    assert kernel.printed is not None
    text = kernel.printed.text
    if wrong is not None:
        assert wrong[0] in text, f"{wrong[0]!r} is not in the text of {name}: plant the fault elsewhere"
        text = text.replace(*wrong)
    return prove(path, kernel.name, text, shapes=6, work=30_000, python_work=2_000)


FAULTS = {
    "a removed barrier": (
        "total",
        "        parts[thread / 64] = x;\n    __syncthreads();",
        "        parts[thread / 64] = x;",
    ),
    "a dropped tail": ("add", "if (i < N)", "if (i < N - 1)"),
    "a tail past the end": ("gemv", "if (j < N) {", "if (j < N + 1) {"),
    "a swapped lane": ("total", "from_lane<0x4e>", "from_lane<0xb1>"),
    "an off-by-one store": ("transpose", "&B[j_out * B_1 + i_out]", "&B[j_out * B_1 + i_out + 1]"),
    "a store one row down": ("softmax", "Y[i * N + j", "Y[(i + 1) * N + j"),
    "a missing atomic": ("histogram", "atomicAdd(&hist[bin], 1);", "hist[bin] += 1;"),
    "a dropped element of a sum": ("gemm", "k = k_tile; k <", "k = k_tile + (k_tile == 0); k <"),
    "an element twice in a sum": (
        "spmv",
        "s += s_part;",
        "s += s_part + load_or_zero(value, wrapped((i64)start[i], NNZ)) * 0.25f;",
    ),
    "a value a little off": ("softmax", "total += total_part;", "total = total_part * (1.0f + 1.0e-5f);"),
    "a triangle's edge": ("syrk", "j < i + 1;", "j < i;"),
    "a time step short": ("jacobi_time", "< steps;", "< steps - 1;"),
}


@pytest.mark.parametrize("name", sorted({f[0] for f in FAULTS.values()}))
def test_nothing_is_found_without_a_fault(name: str) -> None:
    report = _verify(name, None)
    assert report.good, report.text


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str) -> None:
    name, right, wrong = FAULTS[fault]
    report = _verify(name, (right, wrong))
    assert not report.good, f"{fault} in {name} was not found:\n{report.text}"


FAR = """
from tl2hip import Tensor, dims, i8, kernel

M, N = dims("M N")


@kernel
def far(A: Tensor[i8, M, N], out: Tensor[i8, M]) -> None:
    for m in range(M):
        for n in range(0, N, 1073741824):
            out[m] += A[m, n]
"""


def _far(text: str) -> tuple[list[int], tuple[object, ...]]:
    """Sums of elements from either side of 2**31 bytes, of an array that takes no memory but for them."""
    columns = 2**31 + 64
    memory = mmap.mmap(-1, 2 * columns, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
    array = np.frombuffer(memory, np.int8).reshape(2, columns)
    array[:, ::1073741824] = [[1, 2, 4], [8, 16, 32]]
    out = np.zeros(2, np.int8)
    sizes = [ctypes.c_int64(n) for n in (2, columns)]
    with Emulator.load(text) as library:
        run = library.call("far", [Buffer(array, in_place=True), out, *sizes, ctypes.c_void_p()])
    return out.tolist(), run.findings


def test_an_offset_past_31_bits_and_one_that_wraps() -> None:
    (kernel,) = api.convert(Source("far.py", FAR)).kernels
    assert kernel.printed is not None
    text = kernel.printed.text
    place = "A[m * N + n]"
    assert place in text
    assert _far(text) == ([7, 56], ())
    values, findings = _far(text.replace(place, "A[(int)(m * N + n)]"))
    assert values != [7, 56] and findings
