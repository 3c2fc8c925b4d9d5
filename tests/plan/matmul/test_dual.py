"""Several sums that share a factor are one product: that factor is read once, each sum has registers of its own.

They may stand in one loop or in several that run alike; what is done with an element sees them all.
"""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import HEAD, converted, multiplying, plan, planted, proven, why
from tl2hip import api
from tl2hip.plan.matrix_ir import MatrixMultiply
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.compiled import findings
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.source.span import Source

EVEN, ODD = {"M": 80, "N": 80, "K": 136}, {"M": 69, "N": 67, "K": 133}
GATED = "f32(1) / (f32(1) + np.exp(-g))"


def dual(
    types: str = "f16",
    sums: str = "f32",
    inner: str = "g += {s}(A[i, k]) * {s}(B[j, k])\nu += {s}(A[i, k]) * {s}(C[j, k])",
    end: str = "X[i, j] = g\nY[i, j] = u",
    shape: str = "N, K",
    marks: tuple[str, ...] = ("i: Tile[int, 64, waves(2)]", "j: Tile[int, 64, waves(2)]"),
    results: str = "",
) -> str:
    """Two sums in one loop, of an A of M by K elements and right factors of one shape."""
    first = f"def f(A: Tensor[{types}, M, K], B: Tensor[{types}, {shape}], C: Tensor[{types}, {shape}], "
    outputs = f"X: Tensor[{results or sums}, M, N], Y: Tensor[{results or sums}, M, N]) -> None:"
    inside = [f"    {line}" for line in inner.format(s=sums).splitlines()]
    body = [f"g = {sums}(0)", f"u = {sums}(0)", "for k in range(K):", *inside, *end.splitlines()]
    loops = ["for i in range(M):", "    for j in range(N):", *(f"        {line}" for line in body)]
    return "\n".join([first + outputs, *(f"    {line}" for line in (*marks, *loops)), ""])


ONE, OTHER = "g += f32(A[i, k]) * f32(B[j, k])", "u += f32(A[i, k]) * f32(C[j, k])"
TURN = "            for k in range(K):\n"
BARE = dual(marks=())
SWIGLU = dual(end=f"X[i, j] = g * ({GATED}) * u\nY[i, j] = g")
LOOPS = dual().replace("                u +=", TURN + "                u +=")
ONE_NAME = dual(inner=ONE, end="X[i, j] = g\ng = f32(0)\nfor k in range(K):\n    g += f32(A[i, k]) * f32(C[j, k])\n"
                "Y[i, j] = g").replace("            u = f32(0)\n", "")  # fmt: skip
THREE = (
    dual(
        inner=f"{ONE}\n{OTHER}\nw += f32(A[i, k]) * f32(D[j, k])",
        end="X[i, j] = g\nY[i, j] = u\nZ[i, j] = w - u",
        marks=(),
    )
    .replace("Y: Tensor[f32, M, N])", "Y: Tensor[f32, M, N], D: Tensor[f16, N, K], Z: Tensor[f32, M, N])")
    .replace("u = f32(0)\n", "u = f32(0)\n            w = f32(1)\n")
)
BATCH = (
    BARE.replace("    for i", "    for p in range(P):\n    for i")
    .replace("\n    ", "\n        ")
    .replace("\n        for p", "\n    for p")
)
FORMS = {
    "one loop": dual(),
    "a gate": SWIGLU,
    "two loops": LOOPS,
    "one scalar for both": ONE_NAME,
    "loops of two names": LOOPS.replace(TURN + "                u", TURN.replace("k", "q") + "                u")
    .replace("[i, k]) * f32(C[j, k])", "[i, q]) * f32(C[j, q])"),
    "three": THREE,
    "locals": dual(inner="a = f32(A[i, k])\ng += a * f32(B[j, k])\nu += f32(C[j, k]) * a"),
    "columns in memory": dual(shape="K, N", inner=f"{ONE}\n{OTHER}".replace("[j, k]", "[k, j]")),
    "into what is there": dual(end="X[i, j] += g\nY[i, j] = X[i, j] - u"),
    "halves of one array": dual(shape="2 * N, K", inner=f"{ONE}\nu += f32(A[i, k]) * f32(B[j + N, k])"),
    "bf16": dual("bf16", results="bf16", end="X[i, j] = bf16(g)\nY[i, j] = bf16(u)"),
    "f8e4m3": dual("f8e4m3"),
    "i8": dual("i8", "i32"),
    "one factor for both": dual(inner=f"{ONE}\nu += f32(A[i, k]) * f32(B[j, k])"),
    "an end in vectors": dual(results="f16", end="X[i, j] = f16(np.maximum(g, u))\nY[i, j] = f16(u)"),
    "a right factor that is widened": dual().replace("C: Tensor[f16", "C: Tensor[f8e4m3"),
    "the columns' factor is shared": dual(
        shape="M, K", inner=f"{ONE}\nu += f32(C[i, k]) * f32(B[j, k])"
    ).replace("B: Tensor[f16, M, K]", "B: Tensor[f16, N, K]"),
}  # fmt: skip


def sums_of(k: api.Converted) -> set[str]:
    """The registers that matrix instructions of the first kernel add to."""
    name = f"{k.name}_{multiplying(k)[0]}"
    (body,) = (x.body for x in plan(k).kernels if x.name == name)
    return {s.sums for s in all_stmts(body) if isinstance(s, MatrixMultiply)}


@pytest.mark.parametrize("form", FORMS)
def test_sums_that_share_a_factor_are_one_product(form: str) -> None:
    k = converted(FORMS[form])
    assert len(multiplying(k)) >= 2, why(k)
    assert len(sums_of(k)) == (3 if form == "three" else 2)
    report = proven(k, EVEN, ODD, modes=("edges", "coded") if form in ("one loop", "a gate") else ("normal",))
    assert report.good, report.text


def test_the_shared_factor_is_read_once() -> None:
    """A step reads fragments of A, B and C once, however many sums they go into."""
    k = converted(SWIGLU)
    assert k.printed is not None
    text = k.printed.text
    start = text.index("f_kernel_aligned(")
    loop = text[text.index("for (int step = 1;", start) : text.index("// The last tile: nothing", start)]
    reads = [line.strip() for line in loop.splitlines() if "part_" in line and "lds_" in line]
    assert {line[:6] for line in reads} == {"part_A", "part_B", "part_C"}
    assert len(reads) == 3 * len({line for line in reads if line.startswith("part_A")})


def test_a_batch_of_them_is_one_product_each() -> None:
    text = BATCH.replace("[i, ", "[p, i, ").replace("[j, ", "[p, j, ")
    k = converted(text.replace("[f16, ", "[f16, P, ").replace("[f32, ", "[f32, P, "))
    assert multiplying(k), why(k)
    report = proven(k, {**EVEN, "P": 2}, {**ODD, "P": 3})
    assert report.good, report.text


MARKS = {
    "three stages": ("k: Tile[int, 32, stages(3)]",),
    "no stages": ("k: Tile[int, 32, stages(1)]",),
    "instructions of 32": ("k: Tile[int, 64, mfma(32)]",),
    "slices": ("k: Tile[int, 64, split(2)]",),
    "groups": ("i: Tile[int, 64, waves(2), group(2)]", "j: Tile[int, 64, waves(2)]"),
}


@pytest.mark.parametrize("form", [SWIGLU, LOOPS], ids=["one loop", "two loops"])
@pytest.mark.parametrize("mark", MARKS)
def test_marks_are_honoured(mark: str, form: str) -> None:
    own = tuple(f"    {line}\n" for line in MARKS[mark])
    old = "    i: Tile[int, 64, waves(2)]\n    j: Tile[int, 64, waves(2)]\n"
    k = converted(form.replace(old, "".join(own) + ("" if mark == "groups" else old)))
    assert multiplying(k), why(k)
    report = proven(k, EVEN, ODD)
    assert report.good, report.text


def test_a_pad_is_one_factors_own() -> None:
    k = converted(SWIGLU.replace("C: Tensor[f16, N, K]", "C: Tensor[f16, N, K, lds(pad=8)]"))
    assert multiplying(k), why(k)
    assert k.printed is not None and "lds_C[4608]" in k.printed.text and "lds_B[4096]" in k.printed.text
    report = proven(k, EVEN, ODD)
    assert report.good, report.text


TWO_LOOPS = BARE.replace("                u +=", TURN + "                u +=")
MISSES = {
    "no factor is shared": (
        dual(inner=f"{ONE}\nu += f32(X[i, k]) * f32(C[j, k])", end="Y[i, j] = g + u", marks=())
        .replace("X: Tensor[f32, M, N]", "X: Tensor[f16, M, K]"), "its sums share no factor",
    ),
    "another range": (
        TWO_LOOPS.replace("K):\n                u", "K // 2):\n                u"), "do not run alike",
    ),
    "a sum of a sum": (BARE.replace("u += f32(A[i, k])", "u += g"), ""),
    "a sum twice": (BARE.replace("                u +=", "                g +="), ""),
    "a product beside a sum": (BARE.replace("u += f32(A[i, k]) *", "u +="), "a term is no product"),
}  # fmt: skip


@pytest.mark.parametrize("miss", MISSES)
def test_what_is_none_is_told_and_right(miss: str) -> None:
    text, reason = MISSES[miss]
    k = converted(text)
    assert multiplying(k) == [] and (not reason or any(reason in one for one in why(k))), why(k)
    report = proven(k, {"M": 19, "N": 21, "K": 37})
    assert report.good, report.text


def test_a_factor_that_is_written_between_the_sums_is_read_behind() -> None:
    second = TURN + "                u"
    text = TWO_LOOPS.replace(second, "            C[i, j] = f16(g)\n" + second)
    done = api.convert(Source("k.py", HEAD + text.replace("C: Tensor[f16, N, K]", "C: Tensor[f16, K, K]")))
    assert done.errors or not multiplying(done.kernels[0])


@pytest.mark.parametrize("end", ["X[i, j] = g * u", "X[i, j] = g\nY[i, j] = u * X[i, j]"])
def test_large_tiles_spill_nothing(end: str) -> None:
    """Results of f32 once took four registers more than there are, in the last tile."""
    k = converted(dual(marks=(), end=end))
    assert k.printed is not None
    found = findings(plan(k), read_counters(compile_device(k.printed.text).text))
    assert [one.text for one in found if one.severity == "error"] == []


def test_each_loop_is_told_by_its_own_name() -> None:
    k = converted(TWO_LOOPS.replace(TURN + "                u", TURN.replace("k", "n") + "                u")
                  .replace("u += f32(A[i, k]) * f32(C[j, k])", "u += f32(A[i, n]) * f32(C[j, n])"))  # fmt: skip
    assert [n.axis for n in plan(k).notes if n.why.startswith("summed by")] == ["k", "n"]


FAULTS = {
    "the right factor of the other sum": ("part_C[c].lo, part_A[r].lo", "part_B[c].lo, part_A[r].lo"),
    "one sum in the place of the other": (", sums_u[r][c]);", ", sums_g[r][c]);"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    k = converted(dual(marks=("i: Tile[int, 64]", "j: Tile[int, 64]", "k: Tile[int, 32, stages(1)]")))
    old, new = FAULTS[fault]
    report = proven(k, EVEN, text=planted(k, "kernel_aligned", old, new))
    assert not report.good
