"""What an article kernel is refused for, and where."""

from __future__ import annotations

import pytest

from tests.dialects.article.helpers import refusals

KERNEL = """
def f(M, N, K, b=8, w=0):
    A = tl.InputTensor("A", [M, K], "float16")
    B = tl.InputTensor("B", [K, N], "float16")
    C = tl.OutputTensor("C", [M, N], "float32")
    D = tl.OutputTensor("D", [M], "float32")
    i, j, k = tl.TileLoop([M, N, K], [b, b, b])
    a, c = A[i, k].load(), tl.dot(A[i, k].load(), B[k, j].load())
    {line}
    C[i, j].store(c)
    return tl.CompileKernel(f)
"""

LINES = [
    ("for q in range(3): c = c + 1", "TL220", "for q in range(3): c = c + 1"),
    ("if b > 3: c = c + 1", "TL220", "if b > 3: c = c + 1"),
    ("print(b)", "TL220", "print(b)"),
    ("c = c ** 2", "TL220", "c ** 2"),
    ("c = +c", "TL220", "+c"),
    ("c = c + A", "TL220", "c + A"),
    ("c = np.sqrt(c)", "TL220", "np.sqrt(c)"),
    ("c = C[i, j].load()", "TL220", "C[i, j].load()"),
    ("A[i, k].store(a)", "TL220", "A[i, k].store(a)"),
    ("C[i, j] = c", "TL220", "C[i, j]"),
    ("c = A[i, k].loaded()", "TL220", "A[i, k].loaded()"),
    ("c = A[i].load()", "TL222", "A[i]"),
    ("c = A[i, i].load()", "TL222", "i"),
    ("c = A[i, 0.5].load()", "TL222", "0.5"),
    ("c = tl.max(c, axis=2)", "TL222", "2"),
    ("c = tl.sum(c, axis=k)", "TL222", "k"),
    ("c = tl.max(A, axis=0)", "TL220", "A"),
    ("c = tl.dot(c, c)", "TL222", "tl.dot(c, c)"),
    ("c = tl.dot(a)", "TL221", "tl.dot(a)"),
    ("D[i].store(c)", "TL222", "D[i].store(c)"),
    ('E = tl.InputTensor("A", [M], "f32")', "TL221", '"A"'),
    ('E = tl.InputTensor("A b", [M], "f32")', "TL221", '"A b"'),
    ('E = tl.InputTensor("E", M, "f32")', "TL221", "M"),
    ('E = tl.InputTensor("E", [M, 0.5], "f32")', "TL221", "0.5"),
    ('E = tl.InputTensor("E", [M, -1], "f32")', "TL221", "-1"),
    ('E = tl.InputTensor("E", [], "f32")', "TL221", "[]"),
    ('E = tl.InputTensor("E", [M], "f33")', "TL312", '"f33"'),
    ("p = tl.TileLoop([M], [8, 8])", "TL221", "tl.TileLoop([M], [8, 8])"),
    ("p, q = tl.TileLoop([M], [8])", "TL222", "p, q"),
    ("(p,) = tl.TileLoop([M], [0])", "TL221", "[0]"),
    ("(p,) = tl.TileLoop([M], [8])", "TL224", "p"),
    ("tl.PipelineStage(stage=2)", "TL220", "tl.PipelineStage(stage=2)"),
    ("c = c * undefined", "TL301", "undefined"),
    ("c = c * later", "TL302", "later"),
    ("return c", "TL220", "return c"),
    ("return tl.CompileKernel(f, stages=3)", "TL221", "stages=3"),
    ("return tl.CompileKernel(f, unroll=0)", "TL221", "0"),
]


@pytest.mark.parametrize(("line", "code", "place"), LINES)
def test_refused_at_its_place(line: str, code: str, place: str) -> None:
    later = "later = 3\n    return" if "later" in line else "return"
    assert refusals(
        KERNEL.format(line=line).replace("return tl.CompileKernel(f)\n", f"{later} tl.CompileKernel(f)\n")
    ) == [(code, place)]


def test_contexts() -> None:
    text = KERNEL.format(line="with tl.Unroll(4):\n        a = A[i, k].load()")
    assert refusals(text) == [("TL224", "tl.Unroll(4)")]
    text = KERNEL.format(line="with tl.Unroll(0):\n        c = tl.dot(a, B[k, j].load())")
    assert refusals(text) == [("TL221", "0")]
    text = KERNEL.format(line="with tl.Unroll(N):\n        c = tl.dot(a, B[k, j].load())")
    assert refusals(text) == [("TL220", "N")]
    text = KERNEL.format(line="with tl.Unroll(300):\n        c = tl.dot(a, B[k, j].load())")
    assert refusals(text) == [("TL202", "tl.Unroll(300)")]


def test_several_problems_in_one_run() -> None:
    text = KERNEL.format(line="c = c ** 2\n    e = tl.max(c, axis=0)\n    e = A[i].load()")
    assert refusals(text) == [("TL220", "c ** 2"), ("TL222", "A[i]")]


def test_what_is_set() -> None:
    text = KERNEL.format(line="c = c * w")
    assert [code for code, _ in refusals(text, {"Z": 3})] == ["TL305"]
    text = KERNEL.format(line="c = c * v").replace("w=0", "*, v")
    assert refusals(text) == [("TL223", "v")]
    assert [code for code, _ in refusals(KERNEL.format(line="D[3].store(1)"), {"M": 3})] == ["TL222"]
    assert refusals(KERNEL.format(line="D[3].store(1)"), {"M": 3}) == [("TL222", "3")]
