"""Sums shared by blocks, and tiles for sizes that are not known before the launch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.plan.matmul.products import HEAD, Product, converted, multiplying, plan, proven, why
from tests.plan.matmul.test_proofs import BYTES, DTYPES, ENDS
from tl2hip import api
from tl2hip.nest.index import ONE
from tl2hip.plan.gfx942 import COMPUTE_UNITS
from tl2hip.plan.ir import HostLet, Launch
from tl2hip.plan.tree import SliceTree
from tl2hip.plan.walk import all_host
from tl2hip.prove.evaluate import Evaluator
from tl2hip.prove.reach import launched
from tl2hip.source.span import Source

SPLIT = Product(i="32", j="64, waves(2)", k="64, split(3)")
SHAPES = (
    {"M": 40, "N": 72, "K": 200}, {"M": 33, "N": 67, "K": 389}, {"M": 5, "N": 3, "K": 65},
    {"M": 0, "N": 3, "K": 200}, {"M": 3, "N": 0, "K": 200}, {"M": 3, "N": 2, "K": 0}, {"M": 3, "N": 2, "K": 1},
)  # fmt: skip
"""Two slices, the last one short; three; one of two steps; nothing; one of one."""
FAULTS = {
    "a slice not added": ("finish", "slice < k_slices", "slice < k_slices - 1"),
    "a slice added twice": ("finish", "slice = 0", "slice = -1 + (k_slices < 2)"),
    "another row's slices": ("finish", "+ i_tile / 16", "+ i_tile / 16 % 2"),
    "slices that overlap": ("kernel", "block_y * k_slice", "block_y * (k_slice - 64)"),
    "a slice past its end": ("kernel", "min_i64(k_from + k_slice, K)", "min_i64(k_from + k_slice + 64, K)"),
    "slices of other rows overwritten": ("kernel", "if (i_tile + r * 16 < M &&", "if ("),
    "slices of no columns read": ("finish", " < N) {  // a fragment", " < N + 64) {  // a fragment"),
}


@pytest.mark.parametrize("dtypes", DTYPES)
def test_sums_in_slices_of_any_dtype(dtypes: str) -> None:
    left, right, sums = DTYPES[dtypes]
    depth = 128 // BYTES.get(dtypes, 1)
    k = converted(replace(SPLIT, left=left, right=right, sums=sums, i="32", k=f"{depth}, split(3)"))
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    shapes = ({**SHAPES[0], "K": 3 * depth + 16}, {**SHAPES[1], "K": 5 * depth + 5})
    report = proven(k, *shapes, modes=("normal",) if sums != "i32" else ("integers",))
    assert report.good, report.text
    assert all("f_finish" in case.kernels for case in report.cases)


@pytest.mark.parametrize("kind", ["NN", "TT"])
def test_short_and_empty_sums_in_slices(kind: str) -> None:
    report = proven(converted(replace(SPLIT, kind=kind)), *SHAPES, modes=("normal", "coded"))
    assert report.good, report.text
    assert {k for case in report.cases for k in case.kernels} >= {"f_kernel", "f_finish", "f_kernel_any_size"}


def test_slices_of_instructions_of_32_by_32() -> None:
    report = proven(converted(replace(SPLIT, k="64, mfma(32), split(2)")), *SHAPES[:2])
    assert report.good, report.text


@pytest.mark.parametrize("end", ["C ahead", "alpha and beta", "two stores", "a store ahead", "wider"])
def test_what_is_done_with_an_element_is_done_once(end: str) -> None:
    k = converted(replace(ENDS[end], i=SPLIT.i, j=SPLIT.j, k=SPLIT.k))
    report = proven(k, *SHAPES[:3])
    assert report.good, report.text


def test_slices_of_a_batch() -> None:
    text = SPLIT.text.replace("Tensor[f16, ", "Tensor[f16, B, P, ").replace("Tensor[f32, ", "Tensor[f32, B, P, ")
    body = text[text.index("    for i") :].replace("[i", "[b, p, i").replace("[j", "[b, p, j")
    loops = "    for b in range(B):\n        for p in range(P):\n"
    text = text[: text.index("    for i")] + loops + "".join(f"        {x}\n" for x in body.splitlines())
    k = converted(text)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, {**SHAPES[0], "B": 2, "P": 3}, {**SHAPES[1], "B": 3, "P": 1}, {**SHAPES[1], "B": 0, "P": 1})
    assert report.good, report.text


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_of_slices_are_found(fault: str) -> None:
    kernel, old, new = FAULTS[fault]
    k = converted(SPLIT)
    assert k.printed is not None
    start = k.printed.text.index(f"\nf_{kernel}(")
    end = k.printed.text.index("\n}", start)
    body = k.printed.text[start:end]
    assert old in body
    text = k.printed.text[:start] + body.replace(old, new) + k.printed.text[end:]
    assert not proven(k, *SHAPES[1:3], seed=1, text=text).good


def test_a_workspace_that_is_too_small_is_found() -> None:
    k = converted(SPLIT)
    assert k.printed is not None
    text = k.printed.text.replace("? (3 * ", "? (2 * ")
    assert text != k.printed.text and not proven(k, SHAPES[1], text=text).good


def test_the_bound_of_a_sum_follows_its_slices() -> None:
    tree = dict(plan(converted(SPLIT, K=6400)).trees)["k"]
    assert isinstance(tree, SliceTree) and tree.depth(6400) == 34 * 64 + 3 + 1
    assert "k" not in dict(plan(converted(SPLIT)).trees), "one slice alone may be all of it"
    assert (SliceTree(1, 3, 64).depth(0), SliceTree(1, 3, 64).depth(70)) == (1, 64 + 2 + 1)


# --- by choice -------------------------------------------------------------------------------------------

ANY = Product(i="", j="")


def test_sums_are_split_where_tiles_are_few() -> None:
    few = plan(converted(ANY, M=128, N=128, K=65_536))
    assert [k.name for k in few.kernels] == ["f_kernel_aligned", "f_kernel", "f_finish"]
    (launches,) = [s for s in few.host if isinstance(s, Launch)]
    assert launches.kernel == "f_finish"
    assert "f_finish" not in [k.name for k in plan(converted(ANY, M=512, N=512, K=512)).kernels]
    marked = plan(converted(replace(ANY, i="128", j="128"), M=128, N=128, K=65_536))
    assert "f_finish" not in [k.name for k in marked.kernels], "a tile that the user says is summed as a whole"
    one = plan(converted(replace(ANY, k="split(1)"), M=128, N=128, K=65_536))
    assert "f_finish" not in [k.name for k in one.kernels]


def test_a_sum_of_computed_factors_is_not_split() -> None:
    text = replace(SPLIT, given="u: Tensor[f32, K]").text.replace("* f32(R[", "* u[k] * f32(R[")
    done = api.convert(Source("k.py", HEAD + text))
    assert "TL213: split(3)" in done.told and "a factor is computed on its way" in done.told


def test_sizes_that_are_known_take_one_tile() -> None:
    assert multiplying(converted(ANY, M=4096, N=4096, K=4096)) == ["kernel_aligned", "kernel"]


@pytest.mark.parametrize("axis", "MNK")
def test_an_extent_that_is_known_to_be_empty(axis: str) -> None:
    report = proven(converted(ANY, **{axis: 0}), {"M": 3, "N": 2, "K": 5, axis: 0})
    assert report.good, report.text


KNOWN: tuple[dict[str, int], ...] = ({}, {"N": 4096, "K": 4096}, {"N": 28_672, "K": 8192}, {"M": 64})


@pytest.mark.parametrize("known", KNOWN, ids=str)
@pytest.mark.parametrize("kind", ["NT", "NN"])
def test_every_size_takes_one_tile_and_fills_its_slices(kind: str, known: dict[str, int]) -> None:
    k = converted(replace(ANY, kind=kind), **known)
    made, names, random = plan(k), multiplying(k), np.random.default_rng(5)
    host = tuple(all_host(made.host))
    lets = {s.name: s.value for s in host if isinstance(s, HostLet)}
    last = {s.kernel.removeprefix("f_"): s.grid for s in host if isinstance(s, Launch) and s.grid[1] != ONE}
    last = {name: grid for name, grid in last.items() if name in names}
    seen: set[str] = set()
    for _ in range(150):
        sizes = {d: known.get(d, int(2 ** random.uniform(0, 13.5))) for d in made.nest.dims}
        taken = [x.removeprefix("f_") for x in launched(made, sizes)]
        assert sum(x in (*names, "kernel_any_size") for x in taken) == 1
        seen.update(taken)
        at = Evaluator(made.nest, sizes)
        for name, value in lets.items():
            at.frame.set(name, np.array([at.whole(value)], np.int64))
        many, each = (at.whole(lets[n]) for n in ("k_slices", "k_slice"))
        assert many is not None and each is not None
        if taken[0] in last:
            assert ("finish" in taken) == (many > 1)
            assert many * np.prod([at.whole(g) or 0 for g in last[taken[0]][:1]]) <= 4 * COMPUTE_UNITS or many == 1
            assert (many - 1) * each < {**known, **sizes}["K"] <= many * each
        else:
            assert "finish" not in taken
    assert seen - {"kernel", "kernel_small", "kernel_middle"}
