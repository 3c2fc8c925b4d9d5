"""verify end to end on hand-written HIP: good texts pass, planted faults are found, what was tried is told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.nest import by_hand as h
from tl2hip import api
from tl2hip.dtypes import F32, I64
from tl2hip.hip.launcher import Argument, LauncherInfo
from tl2hip.nest.ir import Check, Compare, Nest
from tl2hip.prove.report import Case, Report
from tl2hip.prove.verify import Options, verify
from tl2hip.source.span import Source

HEAD = """#include <hip/hip_runtime.h>
#pragma clang fp contract(off)
typedef long long i64;
"""

ADDED = (
    HEAD
    + """
__global__ void __launch_bounds__(64) added_kernel(const float *x, const float *y, float *z, i64 N)
{
    const i64 i = (i64)blockIdx.x * 64 + threadIdx.x;
    if (i < N)
        z[i] = x[i] + y[i];
}

extern "C" hipError_t added(const float *x, const float *y, float *z, i64 N, hipStream_t stream)
{
    if (N == 0)
        return hipSuccess;
    hipLaunchKernelGGL(added_kernel, dim3((N + 63) / 64), dim3(64), 0, stream, x, y, z, N);
    return hipGetLastError();
}
"""
)

SUMMED = (
    HEAD
    + """
__global__ void __launch_bounds__(128) row_sum_kernel(const float *X, float *y, i64 N)
{
    __shared__ float part[128];
    const int t = threadIdx.x;
    const i64 i = blockIdx.x;
    float s = 0.0f;
    for (i64 j = t; j < N; j += 128)
        s += X[i * N + j];
    part[t] = s;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        y[i] = part[0];
}

extern "C" hipError_t row_sum(const float *X, float *y, i64 M, i64 N, hipStream_t stream)
{
    if (M == 0)
        return hipSuccess;
    hipLaunchKernelGGL(row_sum_kernel, dim3(M), dim3(128), 0, stream, X, y, N);
    return hipGetLastError();
}
"""
)


def launcher(nest: Nest) -> LauncherInfo:
    arrays = tuple(Argument("array", a.name, a.dtype, a.name) for a in nest.arrays)
    dims = tuple(Argument("dim", n, I64, n) for n in nest.dims)
    stream = Argument("stream", "stream", None, "stream")
    return LauncherInfo(nest.name, (*arrays, *dims, stream), None, (), ())


def added(x: Any, y: Any, z: Any) -> None:
    for i in range(len(x)):
        z[i] = x[i] + y[i]


def row_sum(x: Any, y: Any) -> None:
    for i in range(len(x)):
        s = np.float32(0)
        for v in x[i]:
            s += v
        y[i] = s


FEW = Options(shapes=6, depths={"j": lambda n: -(-n // 128) + 7})


def tried(nest: Nest, text: str, function: Any = None, options: Options = FEW) -> Report:
    return verify(nest, text, launcher(nest), function, options)


def codes(report: Report) -> set[str]:
    return {p.code for p in report.problems if p.severity == "error"}


def test_good_texts_are_good() -> None:
    report = tried(h.added(), ADDED, added)
    assert report.good and not report.problems, report.text
    assert all(c.python == "equal" and c.exact == c.checked == c.sizes["N"] for c in report.cases)
    report = tried(h.row_sum(), SUMMED, row_sum)
    assert report.good and not codes(report), report.text
    assert 0 < report.worst < 1
    assert any(c.exact for c in report.cases) and any(c.exact < c.checked for c in report.cases)


def test_what_was_tried_is_told() -> None:
    report = tried(h.row_sum(), SUMMED, row_sum)
    lines = report.text.splitlines()
    assert lines[0] == f"row_sum: good: {len(report.cases)} cases, {len(report.cases)} equal to Python"
    assert repr(report) == report.text
    assert "worst/bound" in lines[1] and "shapes: M=" in report.text
    for mode in ("normal", "integers", "coded", "one-hot", "positive", "cancelling", "large", "edges"):
        assert f"\n  {mode} " in report.text
    told = json.loads(json.dumps(report.to_dict()))
    assert told["kernel"] == "row_sum" and told["good"] and len(told["cases"]) == len(report.cases)
    assert report.to_dict() == tried(h.row_sum(), SUMMED, row_sum).to_dict()


def test_cases_too_large_for_python_are_not_told_as_unequal() -> None:
    cases = (Case({"N": 1}, "normal", 0, "equal", 1, 1), Case({"N": 9999}, "normal", 0, "", 1, 1))
    line = Report("f", cases, ()).text.partition("\n")[0]
    assert line == "f: good: 2 cases; 1 were small enough for plain Python, 1 equal to it"


def test_cases_in_which_python_raises_are_told() -> None:
    cases = (Case({"N": 1}, "normal", 0, "equal", 1, 1), Case({"N": 2}, "normal", 0, "raised", 1, 1))
    line = Report("f", cases, ()).text.partition("\n")[0]
    assert line == "f: good: 2 cases, 1 equal to Python; Python raised in 1"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("j < N; j", "j < N - 1; j"),  # the last element dropped
        ("i64 j = t; j", "i64 j = t + 1; j"),  # the first element dropped
        ("s += X[i * N + j]", "s += X[i * N + j] * (j == 5 ? 2.0f : 1.0f)"),  # an element counted twice
        ("int half = 64", "int half = 32"),  # half of the lanes dropped
        ("float s = 0.0f", "_Float16 s = 0.0f"),  # a narrower accumulator
        ("y[i] = part[0]", "y[i] = part[0] * 1.00002f"),  # a little off
    ],
)
def test_wrong_sums_are_found(old: str, new: str) -> None:
    assert old in SUMMED
    report = tried(h.row_sum(), SUMMED.replace(old, new))
    assert "TL702" in codes(report) and not report.good, report.text


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("part[t] = s;\n    __syncthreads();", "part[t] = s;", "TL703"),  # a barrier removed
        ("if (t == 0)\n        y[i]", "if (t == 0)\n        y[i + 1]", "TL703"),  # stored one off
        ("X[i * N + j]", "X[i * N + j + 1]", "TL703"),  # read past the end
        ("dim3(M)", "dim3(M - 1)", "TL702"),  # the last row not launched
        ("return hipGetLastError();", "return hipErrorInvalidValue;", "TL705"),
        ("s += X", "s += undeclared", "TL706"),
    ],
)
def test_faults_are_found(old: str, new: str, code: str) -> None:
    assert old in SUMMED
    text = SUMMED.replace(old, new)
    report = tried(h.row_sum(), text)
    assert code in codes(report) and not report.good, report.text


def test_arrays_in_place_are_tried() -> None:
    """A text that reads x after z was written is right only while they are apart."""
    late = ADDED.replace("z[i] = x[i] + y[i];", "{ z[i] = y[i]; z[i] = x[i] + y[i]; }")
    assert tried(h.added(), late).good and tried(h.added(), ADDED, added, replace(FEW, in_place=(("z", "x"),))).good
    report = tried(h.added(), late, added, replace(FEW, in_place=(("z", "x"),)))
    assert codes(report) == {"TL702"}, report.text


def test_an_input_that_changes_is_found() -> None:
    text = ADDED.replace("const float *x, const", "float *x, const").replace("z[i] = ", "x[i] = z[i] = ")
    assert "TL711" in codes(tried(h.added(), text))


def test_a_nest_that_is_not_the_function_is_found() -> None:
    def subtracted(x: Any, y: Any, z: Any) -> None:
        z[:] = x - y

    report = tried(h.added(), ADDED, subtracted)
    assert codes(report) == {"TL701"} and not report.good
    assert "z[0] is" in report.text and any(c.python == "differs" for c in report.cases)


def test_a_function_that_raises_is_told_or_counted() -> None:
    def broken(x: Any, y: Any, z: Any) -> None:
        raise KeyError("x")

    def outside(x: Any, y: Any, z: Any) -> None:
        raise IndexError

    report = tried(h.added(), ADDED, broken)
    assert codes(report) == {"TL707"} and "KeyError: 'x'" in report.text
    report = tried(h.added(), ADDED, outside)
    assert report.good and all(c.python == "raised" for c in report.cases)


def test_no_shape_no_time_and_no_steps_are_told() -> None:
    never = replace(h.added(), checks=(Check(Compare("<", h.N, h.whole(0)), "N < 0"),))
    assert codes(tried(never, ADDED)) == {"TL710"}
    report = tried(h.added(), ADDED, options=replace(FEW, seconds=0))
    assert not report.good and {p.code for p in report.problems} == {"TL709"}
    report = tried(h.row_sum(), SUMMED, options=replace(FEW, steps=0))
    assert "TL709" in {p.code for p in report.problems} and any(c.skipped for c in report.cases)


def test_given_shapes_come_first() -> None:
    report = tried(h.added(), ADDED, options=replace(FEW, shapes=2, given=({"N": 300},), modes=("normal",)))
    assert [c.sizes["N"] for c in report.cases][0] == 300 and len(report.cases) == 3


def test_undecided_elements_are_told() -> None:
    report = tried(h.row_sum(), SUMMED, options=replace(FEW, modes=("edges",), shapes=20))
    assert report.good and all(p.code == "TL708" for p in report.problems)
    assert sum(c.undecided for c in report.cases) < sum(c.checked for c in report.cases)


def test_f32_is_what_these_texts_are_for() -> None:
    assert {a.dtype for a in (*h.added().arrays, *h.row_sum().arrays)} == {F32}


def test_kernels_are_counted_by_the_cases_that_launch_them() -> None:
    info = replace(launcher(h.added()), kernels=("added_kernel", "other_kernel"))
    report = verify(h.added(), ADDED, info, added, FEW)
    assert report.good and report.ran["other_kernel"] == 0
    assert report.ran["added_kernel"] == sum(c.sizes["N"] > 0 for c in report.cases) > 0
    told = f"\n  kernels: added_kernel in {report.ran['added_kernel']} cases; other_kernel in no case"
    assert told in report.text and report.to_dict()["kernels"] == report.ran


SETTLE = """
from tl2hip import Tensor, dims, f32, kernel
N = dims("N")

@kernel
def settle(u: Tensor[f32, N]) -> None:
    err = f32(9)
    while err > f32(1):
        err = f32(0)
        for i in range(N):
            u[i] = u[i] * f32(0.5)
        for i in range(N):
            err = max(err, abs(u[i]))
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("if (!(err > 1.0f))", "if (err < 0.0f)"),  # what ends the loop is never so
        ("u[i] *= 0.5f;", "u[i] *= -1.0f;"),  # what it waits for never comes
    ],
)
def test_a_launcher_that_does_not_come_to_an_end_is_found(right: str, wrong: str) -> None:
    (k,) = api.convert(Source("settle.py", SETTLE)).kernels
    assert k.nest is not None and k.printed is not None
    few = Options(shapes=1, modes=("integers",))
    assert verify(k.nest, k.printed.text, k.printed.launcher, options=few).good
    text = k.printed.text.replace(right, wrong)
    assert text != k.printed.text
    report = verify(k.nest, text, k.printed.launcher, options=few)
    assert not report.good and codes(report) == {"TL703"}
    assert "hang (error): the launcher does not come to an end: it was given up after" in report.text
    assert "    hipLaunchKernelGGL(settle_" in report.text or "hipMemcpyAsync" in report.text
