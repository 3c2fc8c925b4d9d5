"""The file as a whole: its order, its comments, and the same bytes on every run."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests.hip import plans
from tl2hip.dtypes import F32
from tl2hip.hip import print_plan, print_plans
from tl2hip.nest.ir import Const, Set, Var
from tl2hip.plan.ir import Declare, Plan
from tl2hip.prove.compiler import compile_device
from tl2hip.source.span import Source

ROOT = Path(__file__).parents[2]

DIGEST = """
import hashlib
from tests.hip import plans
from tl2hip.hip import print_plan, print_plans
made = [plans.gemm(), plans.host_program(), plans.row_sum(), plans.extreme("last_min", 256)]
print(hashlib.sha256("".join(print_plan(p).text for p in made).encode()).hexdigest())
"""

GEMM_KERNEL = '''\
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256))) void
gemm_kernel(const _Float16 *__restrict__ A, const _Float16 *__restrict__ B, float *__restrict__ C, i64 M,
            i64 N, i64 K)
{
    const i64 block = blockIdx.x;
    const i64 row = blockIdx.y;
    const i64 thread = threadIdx.x;
    // gemm.py:3: for i in range(M):
    const i64 i = row;
    // gemm.py:4: for j in range(N):
    const i64 j = block * 256 + thread;
    if (j < N) {  // lanes past the edge have no column
        // gemm.py:5: s = f32(0)
        float s = 0.0f;
        // gemm.py:6: for k in range(K):
        for (i64 k = 0; k < K; ++k) {
            // gemm.py:7: s += f32(A[i, k]) * f32(B[k, j])
            s += (float)A[i * K + k] * (float)B[k * N + j];
        }
        // gemm.py:8: C[i, j] = s
        C[i * N + j] = s;
    }
}
'''


def test_the_gemm_kernel_reads_like_the_loops() -> None:
    text = print_plan(plans.gemm()).text
    assert GEMM_KERNEL in text
    assert text.startswith("// Written by tl2hip from gemm.py for gfx942.\n//\n// Where each loop went:\n")
    assert "#pragma clang fp contract(off)" in text
    assert "<<<" not in text and "\r" not in text and text.endswith("#endif\n")
    assert all(len(line) <= 112 for line in text.splitlines())
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_helpers_are_printed_once_and_only_if_used() -> None:
    first = Const(0.0, F32)
    text = print_plan(plans.reductions(F32, 256, (("+", first), ("+", first), ("max", first)))).text
    assert text.count("float wave_sum_f32(") == 1
    assert text.count("float from_lane(") == 1
    assert "double" not in text and "overlap(" in text
    assert "from_lane" not in print_plan(plans.gemm()).text


def test_the_same_bytes_under_every_hash_seed() -> None:
    digests = set()
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_printing_leaves_no_trace_for_the_next() -> None:
    first = print_plan(plans.gemm()).text
    print_plan(plans.extreme("first_max", 256))
    assert hashlib.sha256(print_plan(plans.gemm()).text.encode()) != first
    assert print_plan(plans.gemm()).text == first


def test_a_line_of_the_user_cannot_leave_its_comment() -> None:
    plan = with_body(
        "x = 1 + \\\n    2\nint y; */ x = 2 \\",
        Declare("x", F32, Const(1.0, F32), at=plans.line(1)),
        Set("x", Const(2.0, F32), plans.line(3)),
        Set("x", Var("x", F32), plans.line(3)),
    )
    lines = [line.strip() for line in print_plan(plan).text.splitlines()]
    assert "// gemm.py:1: x = 1 +" in lines
    assert lines.count("// gemm.py:3: int y; */ x = 2") == 1


def with_body(source: str, *body: Declare | Set) -> Plan:
    """The plan of gemm with another text and other statements."""
    plan = plans.gemm()
    kernel = replace(plan.kernels[0], body=tuple(body))
    return replace(plan, nest=replace(plan.nest, source=Source("dir/gemm.py", source)), kernels=(kernel,))


def test_several_functions_share_one_file() -> None:
    printed = print_plans((plans.row_sum(), plans.gemm(), plans.extreme("first_max", 256)))
    assert [info.name for info in printed.launchers] == ["row_sum", "gemm", "extreme"]
    for once in ("using i64", "static bool overlap(", "float from_lane(float x)", "#include"):
        assert printed.text.count(once) == 1
    assert "//\n// gemm:\n//\n// Where each loop went:" in printed.text
    assert compile_device(printed.text).warnings == ""


def test_what_only_the_launcher_calls_is_hidden_from_hiprtc() -> None:
    text = print_plan(plans.host_program()).text
    device, _, host = text.rpartition("#ifndef __HIPCC_RTC__")
    assert "floordiv_i64(i64" not in device and "floordiv_i64(" in host
    assert "static __host__ __device__ inline" in host
