"""Factors that are computed on their way to LDS are proven: dequantised, cast, gathered, scaled, in any order.

Most shapes come in two: whole pieces at multiples of 16 bytes, and not. Both have several tiles along each axis,
the last in part.
"""

from __future__ import annotations

import re

import pytest

from tests.plan.matmul.products import converted, multiplying, plan, planted, proven, why

EVEN, ODD = {"M": 40, "N": 48, "K": 136}, {"M": 37, "N": 35, "K": 133}
GROUPS = {"M": 40, "N": 48, "K": 256}
MARKS = "    i: Tile[int, 32, waves(2)]\n    j: Tile[int, 32, waves(2)]\n"
WORD = "w = f16((i32(Q[k // 2, j]) >> (k % 2 * 4)) & 15) - f16(8)"


def product(given: str, left: str, right: str, *ahead: str, check: str = "", sums: str = "f32") -> str:
    """A product of factors into C, in loops over i, j and k."""
    lines = [f"    assert {check}"] if check else []
    lines += ["    for i in range(M):", "        for j in range(N):", f"            s = {sums}(0)"]
    lines += ["            for k in range(K):", *(f"                {a}" for a in ahead)]
    lines += [f"                s += {sums}({left}) * {sums}({right})", "            C[i, j] = s", ""]
    return f"def f({given}, C: Tensor[{sums}, M, N]) -> None:\n{MARKS}" + "\n".join(lines)


A = "A: Tensor[f16, M, K]"
TEXTS = {
    "cast": product("A: Tensor[f32, M, K], B: Tensor[bf16, N, K]", "bf16(A[i, k])", "B[j, k]"),
    "cast and turned": product("A: Tensor[f32, K, M], B: Tensor[f32, K, N]", "f16(A[k, i])", "f16(B[k, j])"),
    "bytes": product(f"{A}, B: Tensor[i8, K, N]", "A[i, k]", "B[k, j]"),
    "eighths": product(f"{A}, B: Tensor[f8e4m3, N, K]", "A[i, k]", "B[j, k]"),
    "two dtypes": product("A: Tensor[f32, M, K], B: Tensor[bf16, K, N]", "A[i, k]", "B[k, j]"),
    "scaled": product(f"{A}, x: Tensor[f16, K], B: Tensor[f16, N, K]", "A[i, k] * x[k]", "B[j, k]"),
    "activated": product(f"{A}, B: Tensor[f16, K, N]", "max(A[i, k], f16(0))", "B[k, j]"),
    "embedded": product(
        "A: Tensor[f16, B, K], ids: Tensor[i32, M], R: Tensor[f16, N, K]", "A[ids[i], k]", "R[j, k]"
    ),
    "masked": product(f"{A}, R: Tensor[f16, N, K]", "A[i, k] if k <= i else f16(0)", "R[j, k]"),
    "two places": product(f"{A}, R: Tensor[f16, N, K]", "A[i, k] if k <= i else A[i, 0]", "R[j, k]"),
    "in both": product("A: Tensor[f32, M, K]", "f16(A[i, k])", "f16(A[min(j, M - 1), k])"),
    "backwards": product(f"{A}, R: Tensor[f16, N, K]", "A[M - 1 - i, k]", "R[j, k]"),
    "doubles": product("A: Tensor[f32, M, K], R: Tensor[f64, N, K]", "A[i, k]", "R[j, k]", sums="f64"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_factors_that_are_computed(name: str) -> None:
    k = converted(TEXTS[name])
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    more = {"B": 7} if name == "embedded" else {}
    report = proven(k, {**EVEN, **more}, {**ODD, **more}, modes=("normal",))
    assert report.good, report.text
    assert [case.kernels for case in report.cases] == [("f_kernel_aligned",), ("f_kernel",)]


WORDS = {
    "nibbles down": product(
        f"{A}, Q: Tensor[u8, K // 2, N], x: Tensor[f16, K // 128, N]", "A[i, k]", "w * x[k // 128, j]", WORD,
        check="K % 128 == 0",
    ),
    "nibbles along": product(
        f"{A}, Q: Tensor[i32, N, K // 8], x: Tensor[f16, N, K // 64], z: Tensor[f16, N, K // 64]", "A[i, k]",
        "(w - z[j, k // 64]) * x[j, k // 64]", "w = f16((Q[j, k // 8] >> (4 * (k % 8))) & 15)",
        check="K % 64 == 0",
    ),
    "turned over": product(
        f"{A}, Q: Tensor[u8, K // 2, N]", "A[i, k]", "f16(w)",
        "w = (((i32(Q[k // 2, j]) >> (k % 2 * 4)) & 15) ^ 8) - 8", check="K % 2 == 0",
    ),
    "single scales": product(
        f"{A}, Q: Tensor[i8, N, K], x: Tensor[f32, N]", "A[i, k]", "f16(f32(Q[j, k]) * x[j])",
    ),
    "signed": product(
        f"{A}, Q: Tensor[i8, N, K // 2]", "A[i, k]", "f16(w)",
        "w = i8(Q[j, k // 2] << 4) >> 4 if k % 2 == 0 else Q[j, k // 2] >> 4", check="K % 2 == 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_words_of_several_elements(name: str) -> None:
    k = converted(WORDS[name])
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert plan(k).misses == ()
    odd = {**GROUPS, "N": 45, "K": 128 if "nibbles" in name else 130}
    report = proven(k, GROUPS, odd)
    assert report.good, report.text
    assert report.cases[0].kernels == ("f_kernel_aligned",)


def test_words_are_read_by_wide_accesses() -> None:
    k = converted(WORDS["nibbles down"])
    assert k.printed is not None
    aligned = k.printed.text.split("f_kernel_aligned(")[1].split("\n}")[0]
    assert set(re.findall(r"fetch_(\w+)\(", aligned)) == {"f16x8", "u8x4", "f16x4"}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("nibbles down", "-72.0f", "-71.0f"),
        ("nibbles down", "0xfff0ff0f", "0xfff0ff07"),
        ("nibbles down", "e, e", "e, e ^ 1"),
        ("turned over", "0x800008", "0x8"),
        ("cast", "e / 4", "e / 2"),
    ],
)
def test_a_wrong_element_is_found(name: str, old: str, new: str) -> None:
    k = converted({**WORDS, **TEXTS}[name])
    assert k.printed is not None
    assert not proven(k, GROUPS if name in WORDS else EVEN, text=planted(k, "kernel_aligned", old, new)).good


@pytest.mark.parametrize(
    "word",
    [
        "w = (Q[k // 2, j] & u8(15)) - u8(8)",
        "w = (i32(Q[k // 2, j]) >> (k % 2 * 4)) & 5",
        "w = i32(Q[k // 2, j]) * 512",
    ],
)
def test_what_is_no_bits_of_a_byte_is_converted_by_itself(word: str) -> None:
    """Integers that wrap, scattered bits, integers that f16 has not all of."""
    given = f"{A}, Q: Tensor[u8, K // 2, N]"
    k = converted(product(given, "A[i, k]", "f16(w)", word, check="K % 2 == 0"))
    assert k.printed is not None
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert "small_f16x2" not in k.printed.text
