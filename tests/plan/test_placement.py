"""Where each loop goes: grid, lanes, thread, launcher; how many launches; which updates are atomic."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert
from tl2hip import api
from tl2hip.nest.ir import Update
from tl2hip.plan.ir import Barrier, HostLoop, LoadVector, Plan
from tl2hip.plan.lanes_ir import Combine
from tl2hip.plan.matrix_ir import MatrixMultiply
from tl2hip.plan.walk import all_stmts
from tl2hip.source.span import Source

KERNELS = Path(__file__).parent / "kernels.py"

WHERE = {
    "atax": ["y:grid", "i:grid", "j:lanes", "j:lanes"],
    "doitgen": ["r:grid", "q:grid", "j:lanes", "p:serial", "s:lanes", "p:lanes"],
    "power": ["_:launcher", "i:grid", "j:lanes", "i:grid", "block:lanes", "i:grid"],
    "prefix": ["i:serial"],
    "rows_prefix": ["i:grid", "j:lanes"],
    "converge": ["while:launcher", "i:grid", "i:grid", "block:lanes"],
}


def _plan(name: str) -> Plan:
    plan = convert(KERNELS)[name].plan
    assert plan is not None
    return plan


def _convert(text: str) -> api.Conversion:
    head = "import numpy as np\nfrom tl2hip import *\nM, N, K = dims('M N K')\n@kernel\n"
    return api.convert(Source("k.py", head + text))


def _planned(text: str) -> Plan:
    done = _convert(text)
    assert not done.errors, done.told
    (kernel,) = done.kernels
    assert kernel.plan is not None
    return kernel.plan


def _places(plan: Plan) -> list[str]:
    words = ("grid", "lanes", "launcher", "serial")
    return [f"{n.axis}:{next(w for w in words if w in n.where)}" for n in plan.notes]


def test_a_reduction_with_nothing_around_it_takes_two_launches() -> None:
    plan = _planned(
        "def f(x: Tensor[f32, N], out: Tensor[f32, 1]) -> None:\n"
        " s = f32(0)\n for i in range(N):\n  s += x[i]\n out[0] = s\n"
    )
    assert [k.block for k in plan.kernels] == [(256, 1, 1), (256, 1, 1)]
    assert len(plan.host) == 2
    assert dict(plan.trees)["i"].blocks == 1024


@pytest.mark.parametrize("name", ["power", "rows_prefix", "prefix", "converge"])
def test_where_loops_go(name: str) -> None:
    assert _places(_plan(name)) == WHERE[name]


def test_a_serial_loop_around_parallel_ones_is_the_launchers() -> None:
    (loop,) = _plan("power").host
    assert isinstance(loop, HostLoop)


@pytest.mark.parametrize("order", ["ijk", "ikj", "jik", "jki", "kij", "kji"])
def test_a_product_in_any_order_sums_in_registers(order: str) -> None:
    extents = {"i": "M", "j": "N", "k": "K"}
    loops = "".join(f"{' ' * d}for {v} in range({extents[v]}):\n" for d, v in enumerate(order, 1))
    plan = _planned(
        "def f(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:\n"
        + loops
        + "    C[i, j] += A[i, k] * B[k, j]\n"
    )
    multiplying = {"f_kernel_aligned", "f_kernel", "f_kernel_small_aligned", "f_kernel_small"}
    assert {k.name for k in plan.kernels} == {*multiplying, "f_finish", "f_kernel_any_size"}
    for kernel in plan.kernels:
        found = {type(s) for s in all_stmts(kernel.body)}
        assert (MatrixMultiply in found) == (kernel.name in multiplying)
        assert Update not in found, "the sum is kept in registers"


def test_updates_that_meet_are_atomic_and_others_are_not() -> None:
    plan = _planned(
        "def f(b: Tensor[i32, N], h: Tensor[i32, M], s: Tensor[i32, N]) -> None:\n"
        " for i in range(N):\n  h[b[i]] += 1\n  s[i] += 2\n"
    )
    updates = {s.array: s.atomic for k in plan.kernels for s in all_stmts(k.body) if isinstance(s, Update)}
    assert updates == {"h": True, "s": False}


def test_lanes_wait_where_one_reads_what_another_wrote() -> None:
    plan = _planned(
        "def f(x: Tensor[f32, M, N], y: Tensor[f32, M, N], z: Tensor[f32, M, N]) -> None:\n"
        " for i in range(M):\n"
        "  s = f32(0)\n"
        "  for j in range(N):\n   s += x[i, j]\n"
        "  for j in range(N):\n   y[i, j] = x[i, j] * s\n"
        "  for j in range(N):\n   z[i, j] = y[i, N - 1 - j]\n"
    )
    assert [k.name for k in plan.kernels] == ["f_kernel", "f_kernel_aligned"]
    for kernel in plan.kernels:
        kinds = [type(s).__name__ for s in all_stmts(kernel.body) if isinstance(s, Combine | Barrier)]
        assert kinds == ["Combine", "Barrier"]


def test_elementwise_bodies_move_vectors_at_any_alignment() -> None:
    plan = _planned(
        "def f(x: Tensor[f16, M, N], y: Tensor[f16, M, N]) -> None:\n"
        " for i in range(M):\n  for j in range(N):\n   y[i, j] = x[i, j] + 1\n"
    )
    wide = [s for k in plan.kernels for s in all_stmts(k.body) if isinstance(s, LoadVector)]
    assert [p.array.shape for p in plan.arrays if p.space == "vector"]
    assert len(wide) == 1


@pytest.mark.parametrize("line, loads", [("y[i, j] += 2 * x[i, j]", 2), ("s[j] += x[i, j]", 6)])
def test_updates_move_vectors_where_no_other_thread_meets_them(line: str, loads: int) -> None:
    head = "x: Tensor[f32, M, N], y: Tensor[f32, M, N], s: Tensor[f32, N], idx: Tensor[i32, M]"
    plan = _planned(f"def f({head}) -> None:\n for i in range(M):\n  for j in range(N):\n   {line}\n")
    assert sum(isinstance(s, LoadVector) for k in plan.kernels for s in all_stmts(k.body)) == loads


@pytest.mark.parametrize(
    "row, where", [("x[i + k] * y[k]", "serial in each thread"), ("z[i, k] * y[k]", "lanes, 4 elements at a time")]
)
def test_each_thread_takes_the_taps_of_a_sliding_window(row: str, where: str) -> None:
    plan = _planned(
        "def f(x: Tensor[f32, M + N - 1], y: Tensor[f32, N], z: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:\n"
        f" for i in range(M):\n  s = f32(0)\n  for k in range(N):\n   s += {row}\n  out[i] = s\n"
    )
    (told,) = (n.where for n in plan.notes if n.axis == "k")
    assert told.startswith(where)


def test_axes_whose_iterations_meet_in_an_element_say_so() -> None:
    plan = _planned(
        "def f(idx: Tensor[i32, N], h: Tensor[i32, M]) -> None:\n for i in range(N):\n  h[idx[i]] += 1\n"
    )
    assert [n.why for n in plan.notes] == ["parallel; contiguous accesses run along it; h by atomics"]


def test_arrays_that_may_be_one() -> None:
    plan = _planned(
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n for i in range(N):\n  y[i] = x[i] + 1\n"
    )
    assert plan.in_place == (("y", "x"),)
    plan = _planned(
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n for i in range(1, N):\n  y[i] = x[i - 1]\n"
    )
    assert plan.in_place == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def f(x: Tensor[f32, N]) -> None:\n for i in range(1, N):\n  x[i] = x[i - 1] * x[i] + x[i]\n", "TL402"),
        ("def f(x: Tensor[f32, N]) -> None:\n while x[0] > 1:\n  x[0] = x[0] / 2\n", "TL503"),
        (
            "def f(x: Tensor[f32, N, N]) -> None:\n for i in range(N):\n  t = np.zeros(i, np.float32)\n"
            "  for j in range(i):\n   t[j] = x[i, j] * 2\n  for j in range(i):\n   x[j, i] = t[i - 1 - j]\n",
            "TL501",
        ),
    ],
)
def test_what_the_plan_refuses(text: str, code: str) -> None:
    assert [p.code for p in _convert(text).errors] == [code]
