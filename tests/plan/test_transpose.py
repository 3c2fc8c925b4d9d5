"""Transposes in tiles through LDS: at every size and alignment, without bank conflicts, and what does not fit."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.plan.ir import Barrier, Launch, Plan
from tl2hip.plan.layout.count import lds
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.compiled import findings
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.source.span import Source

TURNS = Path(__file__).parent / "turns.py"
SIZES = ((0, 5), (5, 0), (1, 1), (64, 64), (63, 65), (128, 64), (3, 200), (200, 3), (67, 131), (129, 257))
BATCHES = ((2, 5, 70), (1, 64, 64), (0, 3, 3), (3, 67, 9), (2, 130, 65))


def _plan(name: str) -> Plan:
    plan = convert(TURNS)[name].plan
    assert plan is not None
    return plan


def _text(name: str) -> str:
    printed = convert(TURNS)[name].printed
    assert printed is not None
    return printed.text


def _shapes(name: str) -> tuple[dict[str, int], ...]:
    nest = convert(TURNS)[name].nest
    assert nest is not None
    if "K" in nest.dims:
        return tuple({"M": m, "N": n, "K": k} for m, n, k in BATCHES)
    return tuple({"M": m, "N": n} for m, n in SIZES)


@pytest.mark.parametrize("name", convert(TURNS))
def test_every_size_is_right(name: str) -> None:
    assert any(isinstance(s, Barrier) for s in all_stmts(_plan(name).kernels[0].body)), "not turned over in LDS"
    report = prove(TURNS, name, shapes=0, given=_shapes(name), python_work=5_000)
    assert report.good, report.text


@pytest.mark.parametrize("name", ["plain", "heads", "triangular", "strided"])
def test_blocks_that_take_several_tiles_are_right(name: str) -> None:
    (launch,) = _plan(name).host
    assert isinstance(launch, Launch)
    text = _text(name)
    assert "1048576)" in text
    report = prove(TURNS, name, text.replace("1048576)", "3)"), shapes=0, given=_shapes(name), python_work=0)
    assert report.good, report.text


def _layouts() -> str:
    """A kernel for each order of 2 and 3 axes, and some of 4."""
    some = ("abdc", "badc", "dabc", "bcda", "adcb", "dcba", "cdab")
    orders = [*map("".join, (*permutations("ab"), *permutations("abc"))), *some]
    text = "from tl2hip import *\na, b, c, d = dims('a b c d')\n"
    for dtype, order in product(("i8", "f16", "f32", "f64"), orders):
        axes = sorted(order)
        text += f"@kernel\ndef t_{dtype}_{order}(A: Tensor[{dtype}, {', '.join(axes)}], "
        text += f"B: Tensor[{dtype}, {', '.join(order)}]) -> None:\n"
        text += "".join(f"{' ' * (n + 1)}for i{x} in range({x}):\n" for n, x in enumerate(axes))
        text += f"     B[{', '.join('i' + x for x in order)}] = A[{', '.join('i' + x for x in axes)}]\n"
    return text


def test_no_layout_spills_registers() -> None:
    done = api.convert(Source("layouts.py", _layouts()))
    assert not done.errors, done.told
    for k in done.kernels:
        assert k.printed is not None
        for one in read_counters(compile_device(k.printed.text).text):
            assert (one.sgpr_spills, one.vgpr_spills) == (0, 0), one.name


@pytest.mark.parametrize("fixed", [{"M": 1}, {"N": 1}, {"M": 1, "N": 1}, {"M": 3}, {"N": 3}, {"M": 4}, {"N": 4}])
def test_a_tile_that_nothing_passes_is_not_planned(fixed: dict[str, int]) -> None:
    done = api.convert(api.source_of(TURNS), api.Options(sets=fixed))
    for k in done.kernels:
        assert k.plan is not None and k.printed is not None
        assert list(findings(k.plan, read_counters(compile_device(k.printed.text).text))) == [], k.name
        tiled = any(isinstance(s, Barrier) for kernel in k.plan.kernels for s in all_stmts(kernel.body))
        assert k.name != "plain" or tiled == (min(fixed.values()) >= 4)


FAULTS = {
    "a missing barrier": ("__syncthreads();  // the tile is whole", ";"),
    "a swapped lane": (
        "const i64 j_first = j_tile + thread_x % 16 * 4;",
        "const i64 j_first = j_tile + (thread_x ^ 1) % 16 * 4;",
    ),
    "a read without its swizzle": ("((thread_x % 16) ^ (row / 4 % 8)) * 4", "(thread_x % 16) * 4"),
    "a dropped edge of columns": ("j = N / 4 * 4; j < N;", "j = N / 4 * 4; j < N - 1;"),
    "a dropped edge of rows": ("i = M / 4 * 4; i < M;", "i = M / 4 * 4 + 1; i < M;"),
    "a tile filled too early": ("__syncthreads();  // the tile is filled again", ";"),
    "an edge of other tiles": ("i < min_i64(i_tile + 64, M)", "i < i_tile + 64"),
    "a square past the end": ("if (i_first + 4 <= M &&", "if (i_first + 3 <= M &&"),
    "a row too many": ("j_out < N / 4 * 4", "j_out < N"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    text = _text("plain")
    assert right in text, f"{fault}: plant it elsewhere"
    text = text.replace(right, wrong).replace("1048576)", "3)")
    report = prove(TURNS, "plain", text, shapes=0, given=_shapes("plain"), python_work=0)
    assert not report.good, fault


@pytest.mark.parametrize(("bytes_", "tile"), [(4, 64), (2, 64), (8, 32), (1, 128), (4, 32), (8, 64), (2, 128)])
def test_no_access_to_lds_meets_another_at_a_bank(bytes_: int, tile: int) -> None:
    width = 16 // bytes_
    pieces, pitch = tile // width, tile * bytes_
    for wave in range(pieces * pieces // 64):
        threads = range(64 * wave, 64 * wave + 64)
        for k in range(width):
            writes = [(t % pieces * width + k) * pitch + ((t // pieces) ^ (t % pieces % 8)) * 16 for t in threads]
            rows = [t // pieces + k * pieces for t in threads]
            reads = [r * pitch + ((t % pieces) ^ (r // width % 8)) * 16 for t, r in zip(threads, rows, strict=True)]
            assert lds(tuple(writes), 16, write=True).ways == 1.0
            assert lds(tuple(reads), 16, write=False).ways == 1.0


def test_the_count_sees_a_conflict() -> None:
    straight = tuple(t % 16 * 4 * 256 + t // 16 * 16 for t in range(64))
    assert lds(straight, 16, write=True).ways == 8.0


def test_nothing_else_is_turned_over() -> None:
    head = "from tl2hip import *\nM, N = dims('M N')\n@kernel\n"
    head += "def f(A: Tensor[f32, M, N], B: Tensor[f32, N, M], w: Tensor[i32, N]) -> None:\n"
    loops = " for i in range(M):\n  for j in range(N):\n"
    for body in (
        "   B[j, i] = A[i, w[j]]\n",
        "   B[j, i] = f32(i) + w[j]\n",
        "   if w[j] > 0:\n    B[j, i] = A[i, j]\n",
    ):
        done = api.convert(Source("k.py", head + loops + body))
        assert not done.errors, done.told
        plan = done.kernels[0].plan
        assert plan is not None
        assert not any(isinstance(s, Barrier) for k in plan.kernels for s in all_stmts(k.body))
