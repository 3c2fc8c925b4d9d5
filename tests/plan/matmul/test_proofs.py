"""Matrix products are proven: factors in any order of memory, dtypes, tiles, starts, ends, batches, names.

Most shapes come in two: rows of the factors at multiples of 16 bytes, and not. Both have several tiles along i, j
and k, the last in part.
"""

from __future__ import annotations

import re

import pytest

from tests.plan.matmul.products import (
    ORDERS,
    Product,
    converted,
    multiplying,
    plan,
    proven,
    refused,
    why,
)

EVEN, ODD = {"M": 80, "N": 80, "K": 136}, {"M": 69, "N": 67, "K": 133}
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
BY_SIZE = ["kernel_aligned", "kernel", "kernel_small_aligned", "kernel_small"]
"""The kernels of a product of any size."""
DTYPES = {
    "f16": ("f16", "f16", "f32"),
    "bf16": ("bf16", "bf16", "f32"),
    "f32": ("f32", "f32", "f32"),
    "f64": ("f64", "f64", "f64"),
    "i8": ("i8", "i8", "i32"),
    "f8e4m3": ("f8e4m3", "f8e4m3", "f32"),
    "f8e5m2 by f8e4m3": ("f8e5m2", "f8e4m3", "f32"),
    "f8e4m3 by f8e5m2": ("f8e4m3", "f8e5m2", "f32"),
}


def _product(dtypes: str, kind: str = "NT") -> Product:
    left, right, sums = DTYPES[dtypes]
    return Product(kind, left, right, sums)


@pytest.mark.parametrize("kind", ORDERS)
@pytest.mark.parametrize("dtypes", DTYPES)
def test_factors_of_any_dtype_in_any_order(dtypes: str, kind: str) -> None:
    k = converted(_product(dtypes, kind))
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    depth, piece = 128 // BYTES.get(dtypes, 1), 16 // BYTES.get(dtypes, 1)
    even, odd = {**EVEN, "K": depth + piece}, {**ODD, "K": depth + piece - 1}
    report = proven(k, even, odd, modes=("edges",) if kind == "NN" else ("normal",))
    assert report.good, report.text
    assert [case.kernels for case in report.cases] == [("f_kernel_aligned",), ("f_kernel",)]


def test_short_extents_take_the_general_kernel_and_are_proven() -> None:
    k = converted(Product("TN"))
    few = [
        (0, 5, 3),
        (5, 0, 3),
        (33, 17, 0),
        (1, 1, 1),
        (1, 70, 65),
        (70, 1, 64),
        (7, 7, 70),
        (8, 8, 1),
        (9, 15, 63),
    ]
    report = proven(k, *({"M": m, "N": n, "K": k} for m, n, k in few), modes=("normal", "integers"))
    assert report.good, report.text


@pytest.mark.parametrize(
    ("i", "j", "k", "kind"),
    [
        ("64, waves(2)", "64, waves(2)", "64, stages(1)", "NT"),
        ("64, waves(2)", "64, waves(2)", "64, stages(3)", "NN"),
        ("64, waves(2)", "64, waves(2)", "32, stages(2)", "NT"),
        ("64, waves(2)", "64, waves(2)", "32, stages(3)", "NT"),
        ("64", "64", "128, stages(1)", "TN"),
        ("16", "16", "64", "NN"),
        ("32", "32", "64", "TT"),
        ("32, waves(2)", "32", "64", "TN"),
        ("16", "64", "64", "TN"),
        ("128, waves(4)", "64, waves(1)", "64", "NN"),
        ("64, waves(1)", "128, waves(4)", "64", "TT"),
        ("128, waves(2)", "128, waves(2)", "64, stages(2)", "NT"),
    ],
)
def test_tiles_waves_and_stages(i: str, j: str, k: str, kind: str) -> None:
    made = converted(Product(kind, i=i, j=j, k=k))
    assert multiplying(made) == ["kernel_aligned", "kernel"], why(made)
    rows, columns, depth = (int(mark.split(",")[0]) for mark in (i, j, k))
    even = {"M": rows + 8, "N": columns + 16, "K": 2 * depth + 8}
    report = proven(made, even, {"M": rows + 3, "N": columns + 5, "K": 2 * depth + 3})
    assert report.good, report.text


@pytest.mark.parametrize("kind", ["NT", "NN"])
@pytest.mark.parametrize("dtypes", [d for d in DTYPES if d != "f64"])
def test_instructions_of_32_by_32(dtypes: str, kind: str) -> None:
    left, right, sums = DTYPES[dtypes]
    k = converted(Product(kind, left, right, sums, i="64, waves(2)", j="64, waves(2)", k="mfma(32)"))
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert "_32x32x" in plan(k).notes[-1].why
    report = proven(k, EVEN, ODD, modes=("coded", "normal"))
    assert report.good, report.text


def test_f64_has_no_instruction_of_32_by_32() -> None:
    told = refused(Product(left="f64", sums="f64", k="mfma(32)"))
    assert "TL213: mfma(32)" in told and "gfx942 has no 32x32 matrix instruction" in told
    assert "help: write mfma(16) for k" in told


@pytest.mark.parametrize("n", [1, 2, 8, 16])
@pytest.mark.parametrize("along", ["i", "j"])
def test_blocks_take_tiles_in_groups(along: str, n: int) -> None:
    marks = {"i": "16", "j": "16", along: f"16, group({n})"}
    k = converted(Product(**marks, k="64"))
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, {"M": 320, "N": 208, "K": 24}, {"M": 35, "N": 545, "K": 24}, modes=("coded",))
    assert report.good, report.text


@pytest.mark.parametrize(("i", "j"), [("256, waves(4)", "128, waves(2)")])
def test_large_tiles(i: str, j: str) -> None:
    made = converted(Product("NN", i=i, j=j, k="64"))
    report = proven(made, {"M": 264, "N": 24, "K": 136})
    assert report.good, report.text


# --- starts and ends -------------------------------------------------------------------------------------

GELU = "f32(0.5) * x * (1 + math.tanh(f32(0.79) * (x + f32(0.044) * x * x * x)))"
ENDS = {
    "C transposed": Product(shape="N, M", end=("C[j, i] = s",)),
    "C transposed, f64": Product(left="f64", sums="f64", shape="N, M", end=("C[j, i] = s",)),
    "bias ahead": Product(given="b: Tensor[f16, N]", start="s = f32(b[j])"),
    "C ahead": Product("TN", start="s = C[i, j]"),
    "C of f16 ahead": Product(result="f16", start="s = f32(C[i, j])", end=("C[i, j] = f16(s)",)),
    "C added to": Product(end=("C[i, j] += s",)),
    "C taken from": Product(end=("C[i, j] -= s",)),
    "alpha and beta": Product(given="alpha: f32, beta: f32", end=("C[i, j] = alpha * s + beta * C[i, j]",)),
    "relu": Product(given="b: Tensor[f16, N]", end=("s += f32(b[j])", "C[i, j] = max(s, f32(0))")),
    "gelu to bf16": Product(
        result="bf16", given="b: Tensor[f32, N]", end=("x = s + b[j]", f"C[i, j] = bf16({GELU})")
    ),
    "residual": Product(
        result="f16", given="D: Tensor[f16, M, N]", end=("C[i, j] = f16(s + f32(D[i, j]))",)
    ),
    "bytes, scales of rows and of columns": Product(
        "NT", "i8", "", "i32", "bf16", given="u: Tensor[f32, M], v: Tensor[f32, N]",
        end=("C[i, j] = bf16(f32(s) * u[i] * v[j])",),
    ),
    "eighths, scales of rows": Product(
        "NT", "f8e4m3", "", "f32", "bf16", given="u: Tensor[f32, M]", end=("C[i, j] = bf16(s * u[i])",)
    ),
    "a residual of bf16": Product(
        "NT", "bf16", "", "f32", "bf16", given="D: Tensor[bf16, M, N]", end=("C[i, j] = bf16(s + f32(D[i, j]))",)
    ),
    "scales": Product(given="u: Tensor[f32, M], v: Tensor[f32, N]", end=("C[i, j] = s * u[i] * v[j]",)),
    "quantised": Product(
        left="i8", sums="i32", result="i8", given="u: Tensor[f32, M]",
        end=("C[i, j] = i8(min(max(np.rint(f32(s) * u[i]), f32(-128)), f32(127)))",),
    ),
    "integers wrap": Product(
        left="i8", sums="i32", given="b: Tensor[i32, N]", start="s = b[j]", end=("C[i, j] = s * s + s",)
    ),
    "two stores": Product(given="D: Tensor[f16, N, M]", end=("C[i, j] = s", "D[j, i] = f16(s)")),
    "a store ahead": Product(
        given="D: Tensor[f32, M, N]", start="D[i, j] = f32(i)\n            s = f32(0)",
        end=("C[i, j] = s * D[i, j]",),
    ),
    "if": Product(given="D: Tensor[f32, M, N]", end=("if i > j:", "    C[i, j] = s", "else:", "    D[i, j] = s")),
    "a mask": Product(given="m: Tensor[i32, M, N]", end=("C[i, j] = s if m[i, j] > 0 else f32(-1)",)),
    "wider": Product(result="f64", end=("C[i, j] = f64(s) * f64(s)",)),
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_what_is_done_with_each_element(end: str) -> None:
    k = converted(ENDS[end])
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    even, odd = {**EVEN, "K": 72}, {**ODD, "K": 67}
    report = proven(k, even, odd, modes=("edges" if end in ("relu", "integers wrap") else "normal",))
    assert report.good, report.text


# --- batches, bounds, names ------------------------------------------------------------------------------

LOOP = "s = f32(0)\n{p}for k in range(K):\n{p}    s += f32(L[{left}]) * f32(R[{right}])\n{p}C[{result}] = s\n"


def _batched(axes: str, left: str, right: str, result: str) -> str:
    """A product in the loops `axes`; `i`, `j`, `k` of tiles of 64, `b` and `p` of a batch, `h` of 2 heads."""
    sizes = {"i": "M", "j": "N", "k": "K", "b": "B", "p": "P", "h": "2"}
    arrays = ((n, t, index) for n, t, index in (("L", "f16", left), ("R", "f16", right), ("C", "f32", result)))
    given = ", ".join(f"{n}: Tensor[{t}, {', '.join(sizes[v] for v in i.split(', '))}]" for n, t, i in arrays)
    text, pad = f"def f({given}) -> None:\n    i: Tile[int, 64, waves(2)]\n    j: Tile[int, 64, waves(2)]\n", "    "
    for axis in axes.split():
        text += f"{pad}for {axis} in range({sizes[axis]}):\n"
        pad += "    "
    return text + pad + LOOP.format(p=pad, left=left, right=right, result=result)


@pytest.mark.parametrize(
    ("axes", "left", "right", "result"),
    [
        ("b i j", "b, i, k", "b, k, j", "b, i, j"),
        ("b i j", "i, k", "b, j, k", "b, i, j"),
        ("i b j", "i, b, k", "k, b, j", "i, b, j"),
        ("i j b", "i, b, k", "k, b, j", "i, j, b"),
        ("p b h i j", "p, b, i, h, k", "p, b, j, h, k", "p, b, h, i, j"),
    ],
)
def test_batches(axes: str, left: str, right: str, result: str) -> None:
    k = converted(_batched(axes, left, right, result))
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    report = proven(k, {"M": 72, "N": 8, "K": 72, "B": 2, "P": 1}, {"M": 9, "N": 67, "K": 67, "B": 3, "P": 2})
    assert report.good, report.text


@pytest.mark.parametrize("kind", ["NT", "TN"])
@pytest.mark.parametrize("fixed", [{"K": 128}, {"M": 69, "N": 72, "K": 80}, {"K": 1}, {"N": 7}, {"K": 0}])
def test_extents_that_are_known(kind: str, fixed: dict[str, int]) -> None:
    k = converted(Product(kind), **fixed)
    assert multiplying(k)
    report = proven(k, {**EVEN, "K": 72, **fixed})
    assert report.good, report.text


def test_extents_that_are_multiples() -> None:
    text = Product("NN").text.replace(
        "    for i", "    assert K % 64 == 0 and M % 64 == 0 and N % 64 == 0\n    for i"
    )
    report = proven(converted(text), {"M": 64, "N": 128, "K": 128}, {"M": 64, "N": 64, "K": 0})
    assert report.good, report.text


def test_loops_that_end_before_the_arrays() -> None:
    text = Product("NN").text
    for size, less in (("M", "M - 1"), ("N", "N // 2"), ("K", "K - 5")):
        text = text.replace(f"range({size})", f"range({less})")
    k = converted(text)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    shapes = ((70, 144, 72), (66, 80, 141), (72, 8, 136), (5, 9, 6), (5, 9, 3))
    report = proven(k, *({"M": m, "N": n, "K": k} for m, n, k in shapes))
    assert report.good, report.text


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"L": "next_L", "R": "lds_R", "C": "sums"}, "step: f32, lane: f32, n: f32, e: f32"),
        ({}, "first_f16x8: f32, fetch_f16x8_any: f32, mfma_f32_16x16x16f16: f32, lds_barrier: f32"),
        (
            {"L": "last", "R": "tile", "i": "row", "j": "step", "k": "thread"},
            "wave: f32, copy: f32, r: f32, q: f32",
        ),
        (
            {"L": "copy", "R": "number", "i": "to", "j": "steps", "k": "last"},
            "window: f32, tile_of: f32, c: f32, h: f32",
        ),
    ],
)
def test_names_that_the_plan_wants_for_itself(changes: dict[str, str], given: str) -> None:
    a, b, c, d = (one.split(":")[0] for one in given.split(", "))
    text = "\n".join(line for line in Product("TN").text.split("\n") if "Tile[" not in line)
    for old, new in changes.items():
        text = _renamed(text, old, new)
    text = text.replace(") -> None", f", {given}) -> None").replace("= s\n", f"= s * {a} + {b} * {c} - {d}\n")
    k = converted(text)
    assert multiplying(k) == BY_SIZE, why(k)
    report = proven(k, {"M": 24, "N": 16, "K": 72}, {"M": 9, "N": 17, "K": 67})
    assert report.good, report.text


def _renamed(text: str, old: str, new: str) -> str:
    """One name in the place of another of a single letter."""
    return re.sub(rf"\b{old}\b", new, text)


@pytest.mark.parametrize("right", ["A[j, k]", "A[k, j]"])
def test_one_array_may_be_both_factors(right: str) -> None:
    k = converted(
        "def f(A: Tensor[f16, M, M], C: Tensor[f32, M, M]) -> None:\n"
        "    for i in range(M):\n        for j in range(M):\n            s = f32(0)\n"
        f"            for k in range(M):\n                s += f32(A[i, k]) * f32({right})\n"
        "            C[i, j] = s\n"
    )
    assert multiplying(k) == BY_SIZE, why(k)
    report = proven(k, {"M": 72}, {"M": 69})
    assert report.good, report.text
