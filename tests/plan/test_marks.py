"""Every mark in every plan: honoured, as the plan shows, or refused at its place, with a way out that converts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip import api
from tl2hip.plan.ir import For, LoadVector, Plan
from tl2hip.plan.show import show
from tl2hip.plan.walk import all_stmts
from tl2hip.source.problems.base import Problem
from tl2hip.source.span import Source

MARKED = Path(__file__).parent / "marked.py"
HEAD = "import numpy as np\nfrom tl2hip import *\nM, N, K = dims('M N K')\n@kernel\ndef f({}) -> None:\n"
PRODUCT = """\
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
"""
ROW = """\
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += np.exp(A[i, j])
        for j in range(N):
            C[i, j] = np.exp(A[i, j]) / s
"""
TAPS = """\
    for i in range(N):
        s = f32(0)
        for k in range(K):
            s += A[i + k] * B[k]
        C[i] = s
"""
STEPS = """\
    for t in range(K):
        for i in range(1, N - 1):
            C[i] = A[i - 1] + A[i + 1]
        for i in range(1, N - 1):
            A[i] = C[i]
"""
KERNELS = {
    "product": ("A: Tensor[f16, M, K{a}], B: Tensor[f16, N, K], C: Tensor[f32, M, N{c}]", PRODUCT),
    "elementwise": (
        "A: Tensor[f32, N{a}], C: Tensor[f32, N{c}]",
        "    for i in range(N):\n        C[i] = A[i] * 2\n",
    ),
    "patch": (
        "A: Tensor[f32, M, N{a}], C: Tensor[f32, M, N{c}]",
        "    for i in range(M):\n        for j in range(N):\n            C[i, j] = A[i, j] + A[0, j]\n",
    ),
    "row": ("A: Tensor[f32, M, N{a}], C: Tensor[f32, M, N{c}]", ROW),
    "taps": ("A: Tensor[f32, N + K{a}], B: Tensor[f32, K], C: Tensor[f32, N{c}]", TAPS),
    "transpose": (
        "A: Tensor[f32, M, N{a}], C: Tensor[f32, N, M{c}]",
        "    for i in range(M):\n        for j in range(N):\n            C[j, i] = A[i, j]\n",
    ),
    "total": ("A: Tensor[f32, N{a}], C: Tensor[f32, 1{c}]", "    for i in range(N):\n        C[0] += A[i]\n"),
    "steps": ("A: Tensor[f32, N{a}], K: int, C: Tensor[f32, N{c}]", STEPS),
}
"""A kernel for each plan, with places for options of A and C."""


def _text(name: str, said: str) -> str:
    """A kernel with what is said: `i: 64, waves(2)` on lines of their own, and `A: lds()` for tensors."""
    head, body = KERNELS[name]
    options = {"a": "", "c": ""}
    lines = ""
    for one in filter(None, said.split("; ")):
        what, _, marks = one.partition(": ")
        if what in "AC":
            options[what.lower()] = f", {marks}"
        else:
            lines += f"    {what}: Tile[int, {marks}]\n"
    return HEAD.format(head.format(**options)) + lines + body


def _errors(text: str) -> tuple[Problem, ...]:
    return api.convert(Source("k.py", text), stop_after="plan").errors


def _plan(text: str) -> Plan:
    done = api.convert(Source("k.py", text), stop_after="plan")
    assert not done.errors, done.told
    (kernel,) = done.kernels
    assert kernel.plan is not None
    return kernel.plan


HONOURED = {
    ("product", "i: 128, waves(2); j: 64, waves(1)"): r"i .* tiles of 128, 2 waves .*\n  j .* tiles of 64  ",
    ("product", "k: mfma(32)"): r"k .* summed by mfma_f32_32x32x8f16",
    ("product", "k: 64, stages(1), mfma(16)"): r"k .* summed by mfma_f32_16x16x16f16",
    ("product", "i: group(8)"): r"i .* in groups of 8 ",
    ("product", "i: 64, waves(2); j: 64, group(2)"): r"j .* tiles of 64.*, in groups of 2 ",
    ("product", "k: 32"): r"k .* tiles of 32, 2 stages",
    ("product", "k: 32, stages(1)"): r"k .* tiles of 32, 1 stages",
    ("product", "i: 64; j: 64; k: 64, stages(3)"): r"k .* tiles of 64, 3 stages",
    ("product", "k: unroll(2)"): r"mfma",
    ("product", "k: serial"): r"mfma",
    ("product", "i: 64; j: 64; k: 64, split(4)"): r"k .* tiles of 64, 2 stages, 4 slices .*\n(.*\n)+ .*finish",
    ("product", "k: split(1)"): r"k .* tiles of \d+, 2 stages +summed",
    ("product", "k: waves(1)"): r"mfma",
    ("product", "A: lds()"): r"lds_A +f16",
    ("product", "i: 64; j: 64; k: 32; A: lds(pad=8)"): r"lds_A +f16\[2560\]",
    ("product", "A: vec(8); C: vec(4)"): r"mfma",
    ("product", "i: 64, unroll(2)"): r"i .* grid y, one a block ",
    ("elementwise", "i: 512, vec(2)"): r"tiles of 512, \d+ threads +elementwise, 2 elements",
    ("elementwise", "i: 1024, waves(2)"): r"tiles of 1024, 128 threads",
    ("elementwise", "i: 512, waves(4)"): r"tiles of 512, 256 threads +elementwise, 2 elements",
    ("elementwise", "i: 2048, waves(4), lanes(64), vec(4)"): r"tiles of 2048, 256 threads +elementwise, 4 el",
    ("elementwise", "i: lanes(32)"): r"tiles of 32, 32 threads",
    ("elementwise", "i: vec(1)"): r"kernel +256 threads .* a thread for each i$",
    ("elementwise", "i: unroll(2)"): r"a thread for each i",
    ("elementwise", "i: stages(1)"): r"a thread for each i",
    ("elementwise", "i: serial"): r"i .* serial",
    ("elementwise", "A: vec(2)"): r"elementwise, 2 elements",
    ("elementwise", "A: vec(1)"): r"a thread for each i$",
    ("patch", "i: 8, waves(4); j: 256, lanes(64), vec(4)"): r"grid y, tiles of 8, 4 .*\n.*tiles of 256, 64 threads",
    ("patch", "i: 4, lanes(4); j: 64, lanes(16), vec(4)"): r"grid y, tiles of 4, 4 .*\n.*tiles of 64, 16 threads",
    ("patch", "i: waves(2); j: waves(2)"): r"grid y, tiles of 2, 2 .*\n.*128 threads",
    ("patch", "i: serial"): r"i .* a loop of the launcher",
    ("row", "i: 1"): r"kernel_wave +64 threads .* whose row stays in registers",
    ("row", "j: waves(2)"): r"kernel_block +128 threads .* whose row stays in registers",
    ("row", "j: waves(1), vec(4)"): r"a wave for each, 4 a block",
    ("row", "j: lanes(64)"): r"stays in registers",
    ("row", "j: vec(2)"): r"the same by vectors",
    ("row", "j: 1024, waves(4), lanes(64), vec(4)"): r"256 lanes of the block",
    ("row", "j: unroll(2)"): r"256 lanes of the block",
    ("row", "j: serial"): r"j .* serial in each thread",
    ("row", "A: vec(4)"): r"stays in registers",
    ("taps", "k: 8, unroll(4)"): r"k .* serial in each thread",
    ("taps", "k: serial, stages(1)"): r"k .* serial in each thread",
    ("taps", "i: waves(2)"): r"i .* 128 threads",
    ("transpose", "i: 64; j: 64; A: lds(), vec(4)"): r"tiles of 64 x 64, turned over in LDS",
    ("transpose", "i: 64, waves(4)"): r"i .* tiles of 64, 4 threads",
    ("total", "i: waves(8), lanes(64), unroll(2)"): r"i .* grid x, 512 threads",
    ("total", "i: 4096"): r"i .* grid x, 256 threads",
    ("steps", "t: serial, stages(1)"): r"t .* a loop of the launcher",
}
"""What is said of a kernel, and what its plan shows."""


@pytest.mark.parametrize(("name", "said"), HONOURED)
def test_a_mark_is_honoured(name: str, said: str) -> None:
    assert re.search(HONOURED[name, said], show(_plan(_text(name, said))), re.MULTILINE)


REFUSED = {
    ("product", "i: 96, waves(4)"): ("TL213", "waves(4)", "a tile of 96 over 4 waves leaves 24 rows, no whole"),
    ("product", "i: waves(4); j: waves(4)"): ("TL213", "waves(4)", "16 waves share a tile"),
    ("product", "i: waves(16); j: waves(2)"): ("TL504", "waves(2)", "needs 2,048 threads"),
    ("product", "i: 128, lanes(16)"): ("TL213", "lanes(16)", "the matrix instruction says which lane"),
    ("product", "j: 128, vec(4)"): ("TL213", "vec(4)", "the matrix instruction says which lane"),
    ("product", "k: 64, lanes(4)"): ("TL213", "lanes(4)", "the matrix instruction says which lane"),
    ("product", "k: 64, vec(4)"): ("TL213", "vec(4)", "the matrix instruction says which lane"),
    ("product", "k: waves(2)"): ("TL213", "waves(2)", "each wave of a matrix product takes in the whole sum"),
    ("product", "i: stages(2)"): ("TL213", "stages(2)", "only the loop over the sum"),
    ("product", "i: waves(2), unroll(2)"): ("TL213", "unroll(2)", "unrolled as a whole"),
    ("product", "i: mfma(32)"): ("TL213", "mfma(32)", "only the loop over the sum"),
    ("product", "i: 16; k: 64, mfma(32)"): ("TL213", "16", "16 rows over 1 wave are no whole number of 32"),
    ("product", "k: group(4)"): ("TL213", "group(4)", "only the tiles of a matrix product are taken in groups"),
    ("product", "i: group(4); j: group(4)"): ("TL213", "group(4)", "the tiles are taken in groups along `i`"),
    ("product", "i: 64, split(2)"): ("TL213", "split(2)", "only the loop over the sum of a matrix product"),
    ("product", "k: 64, stages(4)"): ("TL213", "stages(4)", "at most 3 tiles are in flight"),
    ("product", "i: 128; j: 128; k: 128, stages(3)"): ("TL203", "stages(3)", "needs 131,072 bytes of LDS"),
    ("product", "i: 256, waves(2); j: 512, waves(4); k: 32"): ("TL505", "512", "two waves a SIMD leave 256"),
    ("product", "k: 24, stages(2)"): ("TL213", "24", "a depth of 24 is no power of two"),
    ("product", "i: 8; j: 8; k: 32, stages(2)"): ("TL213", "8", "8 rows over 1 wave"),
    ("product", "i: 8; A: lds()"): ("TL214", "lds()", "it is no matrix product: 8 rows over 1 wave"),
    ("product", "A: lds(pad=3)"): ("TL214", "lds(pad=3)", "a pad of 3 elements is 6 bytes"),
    ("product", "C: lds()"): ("TL214", "lds()", "that are moved as they are go through LDS"),
    ("product", "A: vec(4)"): ("TL214", "vec(4)", "a lane moves 8 of its elements at a time"),
    ("product", "C: vec(2)"): ("TL214", "vec(2)", "a lane moves 4 of its elements at a time"),
    ("elementwise", "i: 512, stages(2)"): ("TL213", "stages(2)", "only the loop over the sum"),
    ("elementwise", "i: 512, waves(16)"): ("TL213", "waves(16)", "2 waves of a block share it"),
    ("elementwise", "i: 512, vec(8)"): ("TL213", "vec(8)", "a lane moves 4 of its elements at a time"),
    ("elementwise", "i: lanes(16), waves(2)"): ("TL213", "lanes(16)", "go to 32 lanes"),
    ("elementwise", "i: 512, mfma(16)"): ("TL213", "mfma(16)", "only the loop over the sum"),
    ("elementwise", "i: 512, group(2)"): ("TL213", "group(2)", "only the tiles of a matrix product"),
    ("elementwise", "i: 512, split(2)"): ("TL213", "split(2)", "only the loop over the sum of a matrix product"),
    ("elementwise", "A: lds()"): ("TL214", "lds()", "reads it straight from memory"),
    ("elementwise", "A: vec(8)"): ("TL214", "vec(8)", "a lane moves 4 of its elements at a time"),
    ("elementwise", "A: vec(2); C: vec(4)"): ("TL214", "vec(4)", "a lane moves 2 of its elements at a time"),
    ("patch", "i: 2, vec(2)"): ("TL213", "vec(2)", "a lane moves 1 of its elements at a time"),
    ("patch", "i: lanes(16); j: lanes(16)"): ("TL213", "lanes(16)", "go to 4 lanes"),
    ("row", "i: waves(4)"): ("TL213", "waves(4)", "each block takes one after the other"),
    ("row", "j: vec(8)"): ("TL213", "vec(8)", "a lane moves 4 of its elements at a time"),
    ("row", "j: lanes(32)"): ("TL213", "lanes(32)", "go to 64 lanes"),
    ("row", "j: stages(2)"): ("TL213", "stages(2)", "only the loop over the sum"),
    ("row", "A: lds()"): ("TL214", "lds()", "reads it straight from memory"),
    ("taps", "k: waves(2)"): ("TL213", "waves(2)", "one thread runs its iterations one after the other"),
    ("taps", "k: lanes(4)"): ("TL213", "lanes(4)", "one thread runs its iterations one after the other"),
    ("taps", "k: vec(2)"): ("TL213", "vec(2)", "one thread runs its iterations one after the other"),
    ("taps", "k: stages(2)"): ("TL213", "stages(2)", "only the loop over the sum"),
    ("transpose", "A: lds(pad=4)"): ("TL214", "lds(pad=4)", "reads it straight from memory"),
    ("transpose", "A: vec(2)"): ("TL214", "vec(2)", "a lane moves 4 of its elements at a time"),
    ("transpose", "C: lds()"): ("TL214", "lds()", "reads it straight from memory"),
    ("total", "i: vec(4)"): ("TL213", "vec(4)", "a lane moves 1 of its elements at a time"),
    ("total", "i: lanes(16)"): ("TL213", "lanes(16)", "go to 64 lanes"),
    ("steps", "t: 8"): ("TL213", "8", "the launcher runs its iterations one after the other"),
    ("steps", "t: unroll(2)"): ("TL213", "unroll(2)", "the launcher runs its iterations"),
}
"""What is said of a kernel: the code of its refusal, the text that it underlines, and a part of the reason."""


@pytest.mark.parametrize(("name", "said"), REFUSED)
def test_a_mark_is_refused_at_its_place_and_the_way_out_converts(name: str, said: str) -> None:
    code, underlined, reason = REFUSED[name, said]
    text = _text(name, said)
    (found,) = _errors(text)
    line = text.splitlines()[found.at.line - 1]
    assert (found.code, line[found.at.column : found.at.end_column]) == (code, underlined)
    assert reason in found.text
    assert not _errors(_text(name, _mended(said, found.way_out))), found.way_out


def _mended(said: str, way: str) -> str:
    """What is said after a way out was taken."""
    if out := re.fullmatch(r"take (\w+\([\w=]*\)) out", way):
        where = said.rindex(out[1])
        said = said[:where] + said[where + len(out[1]) :]
    elif re.fullmatch("take the tile size out", way):
        said = re.sub(r": \d+(, )?", ": ", said, count=1)
    elif new := re.fullmatch(r"write (waves|stages|mfma)\((\d+)\) for (\w)", way):
        said = re.sub(rf"({new[3]}: [^;]*){new[1]}\(\d+\)", rf"\g<1>{new[1]}({new[2]})", said)
    elif new := re.fullmatch(r"write a tile of (\d+) for (\w)", way):
        said = re.sub(rf"{new[2]}: \d+", f"{new[2]}: {new[1]}", said)
    elif new := re.match(r"write (lds\(pad=\d+\))", way):
        said = re.sub(r"lds\(pad=\d+\)", new[1], said)
    else:
        assert way == "leave the tiles and marks out, and tl2hip chooses ones that fit", way
        return ""
    kept = (one.replace(": ,", ":").strip().removesuffix(",") for one in said.split("; "))
    return "; ".join(one for one in kept if not one.endswith(":"))


def test_the_first_mark_of_the_text_is_told() -> None:
    (found,) = _errors(_text("elementwise", "i: stages(3); A: lds()"))
    assert found.at.line == 5 and found.code == "TL214"
    (found,) = _errors(_text("row", "j: 64, lanes(16), stages(2)"))
    assert "lanes(16)" in found.text


def test_an_option_of_an_array_that_nothing_uses_is_refused() -> None:
    text = (
        HEAD.format("A: Tensor[f32, N], D: Tensor[f32, N, vec(4)]") + "    for i in range(N):\n        A[i] = 0\n"
    )
    (found,) = _errors(text)
    assert found.code == "TL214" and "nothing in the kernel uses it" in found.text


def test_every_loop_over_an_array_must_honour_its_option() -> None:
    both = (
        _text("product", "A: lds()")
        + "    for i in range(M):\n        for k in range(K):\n            A[i, k] = f16(0)\n"
    )
    (found,) = _errors(both)
    assert found.code == "TL214" and "straight from memory" in found.text


@pytest.mark.parametrize(("said", "again", "kernels"), [("512", "i", 1), ("512", "k", 2)])
def test_a_marked_loop_goes_only_into_one_that_says_the_same(said: str, again: str, kernels: int) -> None:
    text = HEAD.format("A: Tensor[f32, N], C: Tensor[f32, N]") + f"    i: Tile[int, {said}]\n"
    text += "    t = np.empty(N, np.float32)\n    for i in range(N):\n        t[i] = A[i] * 2\n"
    text += f"    for {again} in range(N):\n        C[{again}] = t[{again}] + 1\n"
    assert len(_plan(text).kernels) == kernels
    (found,) = _errors(text.replace(said, "stages(2)"))
    assert found.code == "TL213" and found.at.line == 6


def test_vectors_and_unrolling_are_in_the_kernels() -> None:
    (fast,) = _plan(_text("elementwise", "i: 512, vec(2)")).kernels
    assert any(isinstance(s, LoadVector) for s in all_stmts(fast.body))
    product = _plan(_text("product", "k: unroll(3)")).kernels[0]
    rows = _plan(_text("product", "i: 64, unroll(2)")).kernels[0]
    assert any(isinstance(s, For) and s.var == "i" and s.unroll == 2 for s in all_stmts(rows.body))
    assert any(isinstance(s, For) and s.var == "step" and s.unroll == 3 for s in all_stmts(product.body))


@pytest.mark.parametrize("name", convert(MARKED))
def test_kernels_as_their_marks_say_are_right(name: str) -> None:
    report = prove(MARKED, name)
    assert report.good, report.text


def test_a_pad_forgotten_is_seen() -> None:
    printed = convert(MARKED)["padded"].printed
    assert printed is not None
    text = re.sub(r"(row_a \* )40", r"\g<1>32", printed.text)
    assert text != printed.text
    assert not prove(MARKED, "padded", text).good
