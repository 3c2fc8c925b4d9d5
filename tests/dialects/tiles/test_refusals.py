"""What a tile kernel is refused for, and where."""

from __future__ import annotations

import pytest

from tests.dialects.tiles.helpers import converted, nest, refusals

KERNEL = """
def g(x):
    return x[0]


@kernel
def f(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N], S: Tensor[f32, M], R: Tensor[i32, M],
      n: int) -> None:
    for i in tile.range(M, 64):
        for j in tile.range(N, 64):
            acc = tile.zeros(i, j, dtype=f32)
            for k in tile.range(K, 16):
                a = A[i, k]
                acc += tile.dot(a, B[k, j])
            x = acc * 2
            {line}
            C[i, j] = x
"""

LINES = [
    ("x = acc @ acc", "TL230", "acc @ acc"),
    ("x = not acc", "TL230", "not acc"),
    ("x = acc and x", "TL230", "acc and x"),
    ("x = acc if n > 2 else x", "TL230", "acc if n > 2 else x"),
    ("x = np.where(0 < acc < 1, acc, x)", "TL230", "0 < acc < 1"),
    ("x = max(acc, x)", "TL230", "max(acc, x)"),
    ("x = math.exp(acc)", "TL230", "math.exp(acc)"),
    ("x = np.float32(acc)", "TL230", "np.float32(acc)"),
    ("x = acc.mean(axis=0)", "TL230", "acc.mean(axis=0)"),
    ("x = acc.shape", "TL230", "acc.shape"),
    ("x = np.linalg.norm(acc)", "TL230", "np.linalg.norm(acc)"),
    ("x = np.sqrt(acc, out=x)", "TL230", "np.sqrt(acc, out=x)"),
    ("x = tile.softmax(acc)", "TL230", "tile.softmax(acc)"),
    ("x = C[i, 0:3]", "TL230", "0:3"),
    ("x = C[i, :]", "TL230", ":"),
    ("x = acc[0]", "TL230", "acc[0]"),
    ("x, y = acc, acc", "TL230", "acc, acc"),
    ("x[i, j] = 3", "TL230", "x[i, j]"),
    ("x = g(S) + acc", "TL230", "S"),
    ("x = g(acc)", "TL230", "g(acc)"),
    ("while n > 3: x = acc", "TL230", "while n > 3: x = acc"),
    ("return acc", "TL230", "return acc"),
    ("return", "TL230", "return"),
    ("return None", "TL230", "return None"),
    ("if acc > 3: x = acc", "TL230", "acc > 3"),
    ("print(n)", "TL230", "print(n)"),
    ("assert acc > 3", "TL230", "acc > 3"),
    ("i = 3", "TL230", "i = 3"),
    ("A = acc", "TL230", "A = acc"),
    ("for q in acc: x = acc", "TL230", "acc"),
    ("x = (acc > 0).max(axis=0)", "TL230", "(acc > 0).max(axis=0)"),
    ("x = u8(acc).sum(axis=0)", "TL230", "u8(acc).sum(axis=0)"),
    ("x = acc.sum(axis=0, dtype=f32)", "TL230", "acc.sum(axis=0, dtype=f32)"),
    ("x = acc.sum(axis=n)", "TL230", "n"),
    ("b: Lds[f32] = acc * 3", "TL230", "Lds[f32]"),
    ("x = tile.zeros(i, j)", "TL231", "tile.zeros(i, j)"),
    ("x = tile.zeros(dtype=f32)", "TL231", "tile.zeros(dtype=f32)"),
    ("x = tile.zeros(64, 64, dtype=f32)", "TL231", "64"),
    ("x = tile.zeros(i, i, dtype=f32)", "TL231", "i"),
    ("x = tile.zeros(i, j, dtype=3)", "TL231", "3"),
    ("x = tile.full(i, j, dtype=f32)", "TL231", "tile.full(i, j, dtype=f32)"),
    ("x = acc + tile.all(M)", "TL231", "tile.all(M)"),
    ("x = tile.range(M, 3)", "TL231", "tile.range(M, 3)"),
    ("x = acc.astype(3)", "TL231", "3"),
    ("q: Lds[f32] = A[i, 0]", "TL231", "Lds[f32]"),
    ("x: f16 = acc", "TL231", "f16"),
    ("i: Tile[int, 64]", "TL231", "i: Tile[int, 64]"),
    ("for i in tile.range(M, 3): pass", "TL231", "i"),
    ("for acc in tile.range(M, 3): pass", "TL231", "acc"),
    ("for p, q in tile.range(M, 3): pass", "TL231", "p, q"),
    ("for q in tile.range(M, size=3): pass", "TL231", "tile.range(M, size=3)"),
    ("for q in tile.range(M, 3, 4): pass", "TL231", "4"),
    ("for q in tile.range(i, 3): pass", "TL230", "i"),
    ("for q in tile.range(M, 3, waves(2)): S[q] = 0", "TL205", "q in tile.range(M, 3, waves(2))"),
    ("x = a * 2", "TL232", "a"),
    ("x = acc * k", "TL232", "k"),
    ("x = tile.dot(acc, acc)", "TL232", "tile.dot(acc, acc)"),
    ("x = tile.dot(S[i], C[0, j])", "TL232", "tile.dot(S[i], C[0, j])"),
    ("x = acc.max(axis=2)", "TL232", "2"),
    ("x = (j <= i).sum(axis=1)", "TL232", "1"),
    ("x = acc.max(axis=k)", "TL232", "k"),
    ("x = C[i]", "TL232", "C[i]"),
    ("x = C[i, j, 0]", "TL232", "C[i, j, 0]"),
    ("x = C[i, acc]", "TL232", "acc"),
    ("x = S[R[i].sum(axis=0)]", "TL230", "R[i].sum(axis=0)"),
    ("S[i] = acc", "TL232", "S[i] = acc"),
    ("S[i] += C[i, j]", "TL232", "S[i] += C[i, j]"),
    ("for q in tile.range(K, 4): x = f16(x)", "TL233", "x = f16(x)"),
    ("for q in range(3): x = x.sum(axis=0)", "TL233", "x = x.sum(axis=0)"),
    ("C[i, j] = C[j, i]", "TL234", "C[i, j]"),
    ("x = x + C[i + 1, j]", "TL234", "C[i, j]"),
    ("S[i // 2] = S[i]", "TL234", "S[i // 2]"),
    ("C[R[i], j] += x", "TL234", "C[R[i], j]"),
    ("for q in range(3): S[i + q] = q", "TL234", "S[i + q]"),
    ("x = x + undefined", "TL301", "undefined"),
    ("x = bf16(acc) + f16(acc)", "TL320", "bf16(acc) + f16(acc)"),
]


@pytest.mark.parametrize(("line", "code", "place"), LINES)
def test_refused_at_its_place(line: str, code: str, place: str) -> None:
    assert refusals(KERNEL.format(line=line))[0] == (code, place)


def test_the_kernel_itself_is_fine() -> None:
    nest(KERNEL.format(line="pass"))


def test_several_problems_in_one_run() -> None:
    text = KERNEL.format(line="x = acc @ acc\n            y = x * 2\n            x = C[i]")
    assert refusals(text) == [("TL230", "acc @ acc"), ("TL232", "C[i]")]


def test_every_way_out_is_told() -> None:
    for line, code, _ in LINES:
        if code.startswith("TL23"):
            _, report = converted(KERNEL.format(line=line))
            problem = report.errors[0]
            assert problem.way_out and "{" not in problem.way_out + problem.text, line


def test_a_tensor_of_nothing_is_refused() -> None:
    assert refusals(KERNEL.format(line="pass").replace("C: Tensor[f32, M, N]", "C: Tensor[()]"))


def test_marks_without_a_loop() -> None:
    text = """
@kernel
def f(S: Tensor[f32, M]) -> None:
    for i in tile.range(M, 64, {mark}):
        S[0] = S[0] + 1
"""
    assert refusals(text.format(mark="waves(2)")) == [("TL231", "i in tile.range(M, 64, waves(2))")]
    nest(text.format(mark="serial"))


def test_marks_are_checked() -> None:
    text = KERNEL.format(line="pass")
    assert refusals(text.replace("(N, 64)", "(N, 64, waves(3))"))[0] == ("TL202", "waves(3)")
    assert refusals(text.replace("(N, 64)", "(N, n)"))[0][0] == "TL204"
    assert refusals(text.replace("(N, 64)", "(N, 0)"))[0] == ("TL202", "0")
