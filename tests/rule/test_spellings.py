"""One product in many spellings, and programs that look like one and are none."""

from __future__ import annotations

import itertools

import pytest

from tests.rule.helpers import applied, idioms, nest_of_text
from tl2hip.nest.ir import Idiom

PRODUCT = "@kernel\ndef product(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:\n"


def product(body: str) -> list[Idiom]:
    lines = list(body.strip("\n").splitlines())
    indent = len(lines[0]) - len(lines[0].lstrip())
    return idioms(nest_of_text(PRODUCT + "\n".join("    " + line[indent:] for line in lines) + "\n"), "contraction")


def names(found: Idiom) -> dict[str, tuple[str, ...]]:
    """The axes by role, without the numbers that tell loops of one name apart."""
    return {role: tuple(a.split("_")[0] for a in axes) for role, axes in found.axes}


@pytest.mark.parametrize("order", list(itertools.permutations("ijk")), ids="".join)
def test_loops_in_any_order(order: tuple[str, ...]) -> None:
    sizes = {"i": "M", "j": "N", "k": "K"}
    lines = [f"{'    ' * n}for {a} in range({sizes[a]}):" for n, a in enumerate(order)]
    body = "\n".join([*lines, "            C[i, j] += A[i, k] * B[k, j]"])
    (found,) = product(body)
    assert names(found) == {"rows": ("i",), "cols": ("j",), "over": ("k",)}
    assert dict(found.values)["z"] == "C[i, j]"


SPELLINGS = {
    "accumulator": """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s = s + A[i, k] * B[k, j]
                C[i, j] = s
        """,
    "temporaries": """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    a = A[i, k]
                    b = B[k, j]
                    p = b * a
                    s = p + s
                C[i, j] = s
        """,
    "chained": """
        for i in range(M):
            for j in range(N):
                C[i][j] = 0
                for k in range(K):
                    C[i][j] += A[i][k] * B[k][j]
        """,
    "zeros first": """
        for i in range(M):
            for j in range(N):
                C[i, j] = 0
        for k in range(K):
            for i in range(M):
                for j in range(N):
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]
        """,
    "zeros first, k inside": """
        for i in range(M):
            for j in range(N):
                C[i, j] = 0
        for i in range(M):
            for k in range(K):
                for j in range(N):
                    C[i, j] += A[i, k] * B[k, j]
        """,
    "slices": """
        for i in range(M):
            for j in range(N):
                C[i, j] = A[i, :] @ B[:, j]
        """,
    "sum of slices": """
        for i in range(M):
            for j in range(N):
                C[i, j] = np.sum(A[i, :] * B[:, j])
        """,
    "backwards": """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K - 1, -1, -1):
                    s += A[i, k] * B[k, j]
                C[i, j] = s
        """,
    "wider": """
        for i in range(M):
            for j in range(N):
                s = f64(0)
                for k in range(K):
                    s += f64(A[i, k]) * f64(B[k, j])
                C[i, j] = f32(s)
        """,
    "row by row": """
        for i in range(M):
            C[i, :] = A[i, :] @ B
        """,
    "whole arrays": """
        C[:, :] = A @ B
        """,
    "blocks of the sum": """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for b in range(0, K, 8):
                    for k in range(b, min(b + 8, K)):
                        s += A[i, k] * B[k, j]
                C[i, j] = s
        """,
    "two statements between": """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                last = f32(1)
                for k in range(K):
                    s += B[k, j] * A[i, k]
                last = 2 * last
                C[i, j] = s
        """,
}


@pytest.mark.parametrize("body", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(body: str) -> None:
    (found,) = product(body)
    roles = names(found)
    assert (len(roles["rows"]), len(roles["cols"])) == (1, 1)
    values = dict(found.values)
    assert values["f"].removeprefix("np.float64(").startswith("A[")
    assert "B[" in values["g"]
    assert values["z"] in ("np.float32(0.0)", "0.0")


def test_a_product_taken_away() -> None:
    (found,) = product(
        """
        for i in range(M):
            for j in range(N):
                for k in range(K):
                    C[i, j] -= A[i, k] * B[k, j]
        """
    )
    assert dict(found.values)["f"] == "-A[i, k]"


def test_flat_indices() -> None:
    (found,) = idioms(
        nest_of_text(
            """
            @kernel
            def flat(a: Tensor[f32, M * K], b: Tensor[f32, K * N], c: Tensor[f32, M * N]) -> None:
                for i in range(M):
                    for j in range(N):
                        for k in range(K):
                            c[i * N + j] += a[i * K + k] * b[k * N + j]
            """
        ),
        "contraction",
    )
    assert names(found) == {"rows": ("i",), "cols": ("j",), "over": ("k",)}


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ("A[i, k]", "B[k, j]", "C[i, j]"),
        ("A[i, k]", "B[j, k]", "C[i, j]"),
        ("A[k, i]", "B[k, j]", "C[i, j]"),
        ("A[k, i]", "B[j, k]", "C[i, j]"),
    ],
)
def test_transposed_operands(a: str, b: str, c: str) -> None:
    shape_a = "M, K" if a == "A[i, k]" else "K, M"
    shape_b = "K, N" if b == "B[k, j]" else "N, K"
    (found,) = idioms(
        nest_of_text(
            f"""
            @kernel
            def product(A: Tensor[f16, {shape_a}], B: Tensor[f16, {shape_b}], C: Tensor[f32, M, N]) -> None:
                for j in range(N):
                    for i in range(M):
                        s = f32(0)
                        for k in range(K):
                            s += f32({b}) * f32({a})
                        {c} = s
            """
        ),
        "contraction",
    )
    assert names(found) == {"rows": ("i",), "cols": ("j",), "over": ("k",)}
    assert dict(found.values)["f"] == f"np.float32({a})"


def test_batches_and_scales() -> None:
    (found,) = idioms(
        nest_of_text(
            """
            @kernel
            def batched(
                alpha: f32, A: Tensor[f32, B, H, M, K], W: Tensor[f32, B, H, K, N], C: Tensor[f32, B, H, M, N]
            ) -> None:
                for b in range(B):
                    for h in range(H):
                        for i in range(M):
                            for j in range(N):
                                for k in range(K):
                                    C[b, h, i, j] += A[b, h, i, k] * W[b, h, k, j] * alpha
            """
        ),
        "contraction",
    )
    assert dict(found.axes) == {"rows": ("i",), "cols": ("j",), "over": ("k",), "batch": ("b", "h")}
    assert dict(found.values)["grouping"] == "other than written"


def test_triangular_product_reduces_within_its_row() -> None:
    (found,) = product(
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(min(i + 1, K)):
                    s += A[i, k] * B[k, j]
                C[i, j] = s
        """
    )
    assert names(found) == {"rows": ("j",), "cols": (), "over": ("k",), "batch": ("i",)}


MISSES = {
    "reads what it writes": (
        """
        for i in range(M):
            for j in range(N):
                for k in range(K):
                    C[i, j] += C[i, 0] * B[k, j]
        """,
        "",
    ),
    "three-way": (
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += A[i, k] + B[k, j]
                C[i, j] = s
        """,
        "`+` where the rule has `*`",
    ),
    "one factor holds all": (
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += math.exp(A[i, k] * B[k, j])
                C[i, j] = s
        """,
        "`exp` where the rule has `*`",
    ),
    "largest product": (
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s = max(s, A[i, k] * B[k, j])
                C[i, j] = s
        """,
        "reduces by `max`, not by `+`",
    ),
    "carried factor": (
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                w = f32(1)
                for k in range(K):
                    w = w * A[i, k]
                    s += w * B[k, j]
                C[i, j] = s
        """,
        "the loop over k is serial",
    ),
    "rounded products": (
        """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += f32(f16(A[i, k] * B[k, j]))
                C[i, j] = s
        """,
        "a rounding to f16 where the rule has `*`",
    ),
    "bounds that change": (
        """
        for k in range(K):
            for i in range(min(k, M)):
                for j in range(N):
                    C[i, j] += A[i, k] * B[k, j]
        """,
        "several iterations may update the same element of C",
    ),
}


@pytest.mark.parametrize(("body", "reason"), MISSES.values(), ids=MISSES)
def test_misses(body: str, reason: str) -> None:
    assert not product(body)
    lines = "\n".join("    " + line[8:] for line in body.strip("\n").splitlines())
    verdict = next(v for v in applied(nest_of_text(PRODUCT + lines + "\n")).verdicts if v.rule == "contraction")
    assert verdict.nearest is not None
    assert reason in verdict.nearest.reason


def test_narrow_integer_products_wrap_before_they_are_widened() -> None:
    nest = nest_of_text(
        """
        @kernel
        def narrow(A: Tensor[i32, M, K], B: Tensor[i32, K, N], C: Tensor[f64, M, N]) -> None:
            for i in range(M):
                for j in range(N):
                    s = f64(0)
                    for k in range(K):
                        s += A[i, k] * B[k, j]
                    C[i, j] = s
        """
    )
    assert not idioms(nest, "contraction")


def test_two_sums_of_one_accumulator_are_told() -> None:
    body = """
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += A[i, k] * B[k, j]
                    s += B[k, j]
                C[i, j] = s
        """
    assert not product(body)
