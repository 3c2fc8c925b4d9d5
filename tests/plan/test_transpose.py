"""Transposes in tiles through LDS: at every size and alignment, without bank conflicts, and what does not fit."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.nest.index import value_of
from tl2hip.plan.ir import Barrier, Launch, LoadVector, Plan, StoreVector
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.compiled import findings
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.draw import data
from tl2hip.prove.emulate import Emulator
from tl2hip.prove.verify import Options, Session
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


@pytest.mark.parametrize("which", ["orders of axes", "turns"])
def test_no_registers_are_spilled(which: str) -> None:
    done = api.convert(api.source_of(TURNS) if which == "turns" else Source("layouts.py", _layouts()))
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
    "a piece too many": ("i_out < M / 4 * 4", "i_out < M"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    text = _text("plain")
    assert right in text, f"{fault}: plant it elsewhere"
    text = text.replace(right, wrong).replace("1048576)", "3)")
    report = prove(TURNS, "plain", text, shapes=0, given=_shapes("plain"), python_work=0)
    assert not report.good, fault


FAULTS_OF_WIDTHS = {
    "two_widths": ("% 16) ^ (row / 4 % 16)) * 4]", "% 16) ^ (row / 4 % 8)) * 4]"),
    "far_widths": ("(row ^ (thread_x % 16)) % 2", "row % 2"),
    "widened": ("thread_x % 16 / 2", "thread_x % 16"),
    "to_doubles": ("s[v], (f64x2_any *)&B[j_out * M + i_out + v * 2]", "s[v], (f64x2_any *)&B[j_out * M + i_out]"),
    "scaled": ("s[i_out + v * 4]", "s[i_out]"),
    "scaled_rows": ("s_vectors[e / 4][e % 4]", "s_vectors[0][e % 4]"),
}


@pytest.mark.parametrize("name", FAULTS_OF_WIDTHS)
def test_planted_faults_of_widths_are_found(name: str) -> None:
    right, wrong = FAULTS_OF_WIDTHS[name]
    text = _text(name)
    assert right in text, f"{name}: plant it elsewhere"
    report = prove(TURNS, name, text.replace(right, wrong), shapes=0, given=_shapes(name), python_work=0)
    assert not report.good, name


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("plain", {"A": 16, "B": 16}),
        ("scaled", {"A": 16, "s": 16, "B": 16}),
        ("to_halves", {"A": 16, "B": 8}),
        ("widened", {"A": 16, "B": 16}),
        ("dequantised", {"A": 16, "scale": 4, "B": 16}),
        ("quantised", {"A": 16, "scale": 16, "B": 8}),
        ("to_doubles", {"A": 16, "B": 16}),
        ("two_widths", {"A": 16, "D": 8, "C": 16, "B": 8}),
        ("far_widths", {"A": 16, "D": 4, "B": 16}),
    ],
)
def test_each_array_moves_at_its_own_width(name: str, moved: dict[str, int]) -> None:
    plan = _plan(name)
    arrays = {p.array.name: p.array for p in plan.arrays}
    found = {}
    for s in all_stmts(plan.kernels[0].body):
        if isinstance(s, LoadVector | StoreVector) and s.array in moved:
            vector = arrays[s.vector]
            found[s.array] = (value_of(vector.shape[-1]) or 0) * vector.dtype.bytes
    assert {a: found.get(a, arrays[a].dtype.bytes) for a in moved} == moved


def _conflicts(name: str, text: str) -> dict[tuple[bool, int, str], float]:
    """How many times the clocks without conflicts each LDS access takes, where tiles are whole."""
    k = convert(TURNS)[name]
    assert k.nest is not None and k.printed is not None
    sizes = {"M": 256, "N": 128} if "K" not in k.nest.dims else {"M": 2, "N": 64, "K": 64}
    session = Session(k.nest, k.printed.launcher, None, Options())
    with Emulator.load(text) as library:
        run = session.run_hip(library, data(k.nest, sizes, "normal", 0), sizes, False)[1]
    assert not run.errors
    return {(b.store, b.bytes, b.text.strip()): b.ways for b in run.bank_conflicts}


@pytest.mark.parametrize("name", convert(TURNS))
def test_no_access_to_lds_meets_another_at_a_bank(name: str) -> None:
    found = _conflicts(name, _text(name))
    assert {store for store, *_ in found} == {True, False}
    assert set(found.values()) == {1.0}, found


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("plain", "(thread_x / 16) ^ (thread_x % 16 % 8)", "thread_x / 16"),
        ("two_widths", "(thread_x / 16) ^ (thread_x % 16)) * 4", "(thread_x / 16) ^ (thread_x % 8)) * 4"),
        ("far_widths", "((thread_x % 16 * 4 + c) ^ (thread_x / 16))", "(thread_x % 16 * 4 + c)"),
    ],
)
def test_the_count_sees_a_conflict(name: str, right: str, wrong: str) -> None:
    text = _text(name)
    assert right in text, "plant it elsewhere"
    assert max(_conflicts(name, text.replace(right, wrong)).values()) >= 2.0


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
