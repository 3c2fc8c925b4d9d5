"""Budgets: LDS as the compiler has it, registers near it, and refusals whose way out was tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.proofs import convert
from tl2hip import api
from tl2hip.dtypes import F16, F32, F64, I8, DType
from tl2hip.nest.index import ZERO, number
from tl2hip.nest.ir import Array, Axis, Call, Const, Load, Loop, Nest, Set, Store
from tl2hip.nest.walk import all_stmts
from tl2hip.plan import budget, fast, gfx942, limits, plan
from tl2hip.plan.budget import Budget, budgets, waves
from tl2hip.plan.chain import Chain
from tl2hip.plan.ir import Declare, DeclareVector, DeviceStmt, For, HostStmt, Launch, Placed
from tl2hip.plan.lds import Piece, laid_out
from tl2hip.plan.marks import TILE
from tl2hip.plan.matrix_ir import LdsBarrier
from tl2hip.plan.show import show
from tl2hip.plan.state import State
from tl2hip.prove import counters
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.base import show as shown
from tl2hip.source.span import Source

ROOT = Path(__file__).parents[2]
TABLE = ((64, 8), (72, 7), (80, 6), (96, 5), (128, 4), (168, 3), (256, 2), (512, 1))
"""Registers of a lane, and the waves that a SIMD then holds (occupancy as clang 22 notes it for gfx942)."""


def test_the_occupancy_table() -> None:
    for registers, held in TABLE:
        assert waves(registers, 0, 256) == held
        assert waves(registers + 1, 0, 256) == held - 1


def test_lds_and_whole_blocks_bound_the_waves() -> None:
    assert waves(100, 32_768, 256) == 2 and waves(100, 32_769, 256) == 1
    assert waves(128, 0, 512) == 4 and waves(129, 0, 512) == 2  # three waves a SIMD are no whole blocks of two
    assert waves(129, 0, 1024) == 0  # a block of 16 waves needs four on each SIMD
    assert waves(64, 65_536, 64) == 1 and waves(64, 0, 64) == 8


def test_the_planner_and_the_proof_agree_on_the_chip() -> None:
    assert gfx942.LDS_BYTES == counters.LDS_LIMIT


def _text(pieces: tuple[Piece, ...]) -> str:
    """A kernel that uses these arrays of LDS, declared as the printer does."""
    aligned = "__attribute__((aligned(16))) "
    names = [f"s{n}" for n in range(len(pieces))]
    zipped = tuple(zip(names, pieces, strict=True))
    declared = "".join(f"__shared__ {'' if p.own else aligned}{p.dtype.c} {n}[{p.elements}];\n" for n, p in zipped)
    written = "".join(f"{n}[threadIdx.x % {p.elements}] = ({p.dtype.c})threadIdx.x;\n" for n, p in zipped)
    read = " + ".join(f"(float){n}[k % {p.elements}]" for n, p in zipped)
    head = '#include <hip/hip_runtime.h>\nextern "C" __global__ void k(float *y, unsigned k)\n'
    return f"{head}{{\n{declared}{written}__syncthreads();\ny[threadIdx.x] = {read};\n}}\n"


def _piece(dtype: DType, elements: int, own: bool = False) -> Piece:
    return Piece("", dtype, elements, own)


@pytest.mark.parametrize(
    "pieces",
    [
        (_piece(F16, 8192), _piece(F16, 8192)),
        (_piece(F32, 4, own=True), _piece(F64, 4, own=True)),
        (_piece(F16, 129), _piece(F32, 3), _piece(I8, 5)),
        (_piece(F64, 5), _piece(F16, 16, own=True), _piece(F16, 16, own=True), _piece(F32, 1)),
        (_piece(F32, 2, own=True), _piece(F32, 1), _piece(I8, 1)),
        (_piece(I8, 1, own=True), _piece(I8, 3, own=True)),
        (_piece(F32, 4160), _piece(I8, 1, own=True), _piece(F64, 3), _piece(F16, 100)),
    ],
)  # fmt: skip
def test_lds_is_laid_out_as_the_compiler_does(pieces: tuple[Piece, ...]) -> None:
    (kernel,) = read_counters(compile_device(_text(pieces)).text)
    assert laid_out(pieces) == kernel.lds_bytes


def test_scratch_of_reductions_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "PLANS", ())
    (kernel,) = api.convert(api.source_of(ROOT / "tests" / "kernels" / "argmax.py")).kernels
    assert kernel.plan is not None
    found = {p.name: p.bytes for b in budgets(kernel.plan) for p in b.lds}
    assert found == {"lds_values_f32": 16, "lds_places_i64": 32}
    assert "lds_places_i64  32 bytes" in show(kernel.plan) and "48 of 65,536 bytes" in show(kernel.plan)


def test_a_kernel_with_nothing_to_say_has_no_table() -> None:
    (kernel,) = convert(ROOT / "golden" / "histogram" / "kernel.py").values()
    assert kernel.plan is not None and "budget" not in show(kernel.plan)


# --- what is in use at once --------------------------------------------------------------------------------


def _most(*body: DeviceStmt) -> int:
    """The most of three vectors of ten registers each that are in use at once."""
    return budget.most(body, dict.fromkeys("abc", 10)) - budget.ON_THE_WAY


def test_vectors_count_from_the_first_statement_to_the_last() -> None:
    uses = [DeclareVector(n) for n in ("a", "b", "a", "c", "b")]
    assert _most(*uses) == 20
    assert _most(*uses, DeclareVector("a")) == 30


def test_what_a_loop_uses_is_in_use_throughout_it() -> None:
    body: tuple[DeviceStmt, ...] = tuple(Store(n, (ZERO,), Const(0.0, F32), True) for n in "bac")
    loop = For("k", ZERO, number(4), number(1), body)
    assert _most(loop) == 10  # each is the loop's own, and gone before the next
    assert _most(DeclareVector("a"), loop) == 20
    assert _most(DeclareVector("a"), loop, DeclareVector("b")) == 30


def test_what_a_block_declares_is_its_own() -> None:
    b = Store("b", (ZERO,), Const(0.0, F32), True)
    body: tuple[DeviceStmt, ...] = (DeclareVector("a"), b, DeclareVector("a"))
    loops = [For("k", ZERO, number(4), number(1), body) for _ in range(2)]
    assert _most(*loops) == 20  # `a` of one loop is not that of the other
    assert _most(DeclareVector("c"), *loops, DeclareVector("c")) == 30


def test_a_function_takes_registers_where_it_is_computed() -> None:
    tanh = Set("x", Call("tanh", (Const(1.0, F32),), F32))
    few = _most(tanh)
    assert few == budget.FUNCTION[4] and _most(Set("x", Call("sqrt", (Const(1.0, F32),), F32))) == 0
    assert _most(DeclareVector("a"), DeclareVector("a"), tanh) == few
    assert _most(DeclareVector("a"), tanh, DeclareVector("a")) == few + 10


def test_registers_of_vectors_are_whole() -> None:
    def of(dtype: DType, *shape: int) -> int:
        array = Array("v", dtype, tuple(map(number, shape)), "local")
        return budget.vector_registers(Placed(array, "vector"))

    assert of(F32, 4, 4, 4) == 64 and of(F16, 8) == 4 and of(I8, 3, 2) == 3 and of(F64, 2) == 4


def test_scalars_that_lanes_share_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "PLANS", ())
    text = (ROOT / "golden" / "gemm" / "kernel.py").read_text()
    (kernel,) = api.convert(Source("gemm.py", text.replace("stages(2)", "stages(1)"))).kernels
    assert kernel.plan is not None
    (one,) = kernel.plan.kernels
    found = budget.scalar_registers(one)
    assert {n for n in found if n.startswith("thread")} and not {n for n in found if n.startswith("block")}
    assert found["s"] == 1


# --- refusals ----------------------------------------------------------------------------------------------

TILED = """\
from tl2hip import Tensor, Tile, dims, f32, kernel, stages, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f32, M, K], B: Tensor[f32, N, K], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 128, waves(4)]
    j: Tile[int, 128]
    k: Tile[int, 64, stages(3)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += A[i, k] * B[j, k]
            C[i, j] = s
"""


def _tiles(nest: Nest) -> dict[str, Axis]:
    return {s.axis.user: s.axis for s in all_stmts(nest.body) if isinstance(s, Loop)}


def _mark(a: Axis, name: str) -> int:
    return next((m.value or 1 for m in a.marks if m.name == name), 1)


def _as_marked(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
    """A plan that takes for tiles, stages and waves just what the marks say, and computes nothing."""
    axes = _tiles(state.nest)
    i, j, k = (axes[n] for n in "ijk")
    for a in (i, j, k):
        state.honours.honour(a.name, TILE, "waves", "stages")
    step = (k.tile or 1) * _mark(k, "stages")
    tiles = {"A_tile": (i.tile or 1) * step, "B_tile": (j.tile or 1) * step}
    for name, n in tiles.items():
        state.placed[name] = Placed(Array(name, F16, (number(n),), "local"), "shared")
    threads = 64 * _mark(i, "waves") * _mark(j, "waves")
    of_lane = max(4, (i.tile or 1) * (j.tile or 1) // threads)
    state.placed["sums"] = Placed(Array("sums", F32, (number(of_lane // 4), number(4)), "local"), "vector")
    state.dtypes["x"] = F16
    read = (Declare("x", F16, Load(name, (ZERO,), F16, proven=True)) for name in tiles)
    body: tuple[DeviceStmt, ...] = (*read, LdsBarrier(), DeclareVector("sums", True))
    name = state.add("", body, (threads, 1, 1), "as the marks say", waves=2)
    return (Launch(name, (number(1), number(1), number(1))),)


def _refusal(text: str, monkeypatch: pytest.MonkeyPatch) -> Problem:
    monkeypatch.setattr(fast, "PLANS", (_as_marked,))
    done = api.convert(Source("gemm.py", text), stop_after="plan")
    (found,) = done.errors
    return found


def test_too_much_lds_is_refused_at_the_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _refusal(TILED, monkeypatch)
    assert shown(found, Source("gemm.py", TILED)) == (
        "gemm.py:10:22: TL203: gemm_kernel needs 98,304 bytes of LDS (A_tile 49,152, B_tile 49,152); "
        "gfx942 has 65,536\n"
        "   10 |     k: Tile[int, 64, stages(3)]\n"
        "      |                      ^^^^^^^^^\n"
        "  help: a k tile of 32 needs 49,152"
    )
    assert not api.convert(Source("gemm.py", TILED.replace("int, 64, s", "int, 32, s")), stop_after="plan").errors


def test_the_table_of_a_plan_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "PLANS", (_as_marked,))
    (kernel,) = api.convert(Source("gemm.py", TILED.replace("stages(3)", "stages(2)")), stop_after="plan").kernels
    assert kernel.plan is not None
    assert (
        show(kernel.plan).partition("kernels\n")[2].partition("\nlauncher")[0]
        == """\
  gemm_kernel  256 threads  1 barriers, 0 reduction trees  as the marks say

budget
  gemm_kernel  LDS        A_tile                               32,768 bytes
               LDS        B_tile                               32,768 bytes
               LDS        together                             65,536 of 65,536 bytes
               registers  sums                                 64
               registers  at once, with scalars and addresses  about 72 of 256
               waves      on each SIMD                         1, 2 promised
"""
    )


def test_fewer_stages_are_the_way_out_where_no_tile_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SMALLEST_TILE", 128)
    found = _refusal(TILED, monkeypatch)
    assert found.way_out == "stages(2) for k needs 65,536"
    assert not api.convert(Source("gemm.py", TILED.replace("stages(3)", "stages(2)")), stop_after="plan").errors


def test_too_many_threads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TILED.replace("j: Tile[int, 128]", "j: Tile[int, 128, waves(8)]").replace("stages(3)", "stages(1)")
    found = _refusal(text, monkeypatch)
    assert (found.code, found.text) == ("TL504", "gemm_kernel needs 2,048 threads in a block; gfx942 has 1,024")
    assert found.way_out == "waves(4) for j needs 1,024" and found.at.line == 9
    fitting = text.replace("waves(8)", "waves(4)")
    assert not api.convert(Source("gemm.py", fitting), stop_after="plan").errors


def test_too_many_registers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TILED.replace("128, waves(4)", "256, waves(8)").replace("j: Tile[int, 128]", "j: Tile[int, 512]")
    text = text.replace("64, stages(3)", "32, stages(1)")
    found = _refusal(text, monkeypatch)
    assert found.code == "TL505" and "(sums 256, the rest scalars and addresses)" in found.text
    assert found.text.endswith("; a block of 512 threads leaves 256")
    assert found.way_out.startswith("a j tile of 256 needs about 1") and found.at.line == 12
    fitting = text.replace("int, 512", "int, 256")
    assert not api.convert(Source("gemm.py", fitting), stop_after="plan").errors


def test_a_promise_of_waves_bounds_the_registers() -> None:
    one = Budget("k", 256, (), 0, (("sums", 128),), 150, 136)
    assert limits.fits(one) and limits.fits(replace(one, promised=3)) and not limits.fits(replace(one, promised=4))
    assert limits.fits(replace(one, certain=128, promised=4))  # the compiler may do with fewer for the rest
    assert limits._reason(replace(one, promised=4)) == "4 waves a SIMD leave 128 for each"


def test_what_no_mark_can_mend_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LDS_BYTES", 1)
    found = _refusal(TILED, monkeypatch)
    assert found.way_out == "use fewer or smaller local arrays; no other marks make it fit"


def test_without_marks_is_a_way_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_tiled(state: State, chain: Chain) -> tuple[HostStmt, ...] | None:
        return _as_marked(state, chain) if _tiles(state.nest)["k"].tile else None

    monkeypatch.setattr(fast, "PLANS", (only_tiled,))
    monkeypatch.setattr(limits, "LDS_BYTES", 1024)
    done = api.convert(Source("gemm.py", TILED), stop_after="plan")
    (found,) = done.errors
    assert found.way_out == "leave the tiles and marks out, and tl2hip chooses ones that fit"


def test_every_golden_fits() -> None:
    for path in sorted((ROOT / "golden").glob("*/kernel.py")):
        for kernel in convert(path).values():
            assert kernel.plan is not None and all(map(limits.fits, budgets(kernel.plan))), path
            assert plan(kernel.plan.nest) == kernel.plan
