"""Slices and array expressions: the shown nest does what NumPy does."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from tests.nest.build.helpers import HEAD as IMPORTS
from tests.nest.build.helpers import check, codes, nest_of, refusal
from tl2hip.nest.build import build
from tl2hip.nest.ir import Alloc, Loop, Select, Update
from tl2hip.nest.walk import all_exprs, all_stmts
from tl2hip.source.problems.base import Report
from tl2hip.source.read import read
from tl2hip.source.span import Source


def draw(*shape: int, dtype: str = "f4", seed: int = 1) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=shape) * 4).astype(dtype)


HEAD = "X: Tensor[f32, M, N], Y: Tensor[f32, M, N], v: Tensor[f32, N], w: Tensor[f32, M]"


def over(body: str, head: str = HEAD, returns: str = "None") -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return f"@kernel\ndef f({head}) -> {returns}:\n{lines}\n"


def run(body: str, m: int = 3, n: int = 5, close: float = 0, **options: object) -> object:
    return check(
        over(body), draw(m, n), draw(m, n, seed=2), draw(n, seed=3), draw(m, seed=4), close=close, **options
    )


@pytest.mark.parametrize(
    "piece",
    [
        ":",
        "1:",
        ":-1",
        "1:-1",
        "-3:",
        ":2",
        "::2",
        "1::3",
        "::-1",
        "3:0:-1",
        "-2::-2",
        ":100",
        "100:",
        "-100:3",
        "4:2",
        "M:",
        ":M",
        "M - 4:M",
    ],
)
def test_slices_clamp_as_pythons_do(piece: str) -> None:
    for n in (1, 2, 5, 7):
        run(
            (
                f"s = f32(0)\nfor i in range(M):\n    s += v[{piece}].sum()\n"
                f"    Y[i, {piece}] = X[i, {piece}] * 2\nw[0] = s"
            ),
            n=n,
            close=1e-6,
        )


def test_bounds_that_are_known_need_no_clamp() -> None:
    nest = run("for i in range(M):\n    for j in range(N):\n        Y[i, :j] = X[i, :j]\n        Y[i, j + 1:] = 0")
    assert not any(isinstance(e, Select) for e in all_exprs(nest.body))  # type: ignore[attr-defined]


def test_bounds_from_data() -> None:
    head = "n: Tensor[i32, M], X: Tensor[f32, M, N]"
    body = "for i in range(M):\n    X[i, n[i]:] = 0\n    X[i, :n[i]] *= 2"
    for k in (-9, -2, 0, 2, 9):
        check(over(body, head), np.array([k, k + 1, 3], np.int32), draw(3, 5))


def test_elementwise_and_broadcasting() -> None:
    for body in (
        "Y[:] = X",
        "Y[:, :] = X * 2 + v",
        "Y[:] = X * w[:, None] - v[None, :]",
        "for i in range(M):\n    Y[i] = X[i] / (1 + abs(X[i]))",
        "for i in range(M):\n    Y[i, :] = np.maximum(X[i], 0.0) + w[i]",
        "Y[:] = np.where(X > 0, X, v)",
        "Y[:] = 1.5",
        "Y[...] = -X",
        "Y[:] = X[..., 0:1] * 2 + v[:1]",
        "Y[:] = (X > v) * X",
        "Y[:, 0] = w\nY[0, :] = v",
        "Y[:] = X ** 2 - X ** 0.5",
        "Y[:] = (X + 1).astype(f16)",
        "Y[:] = f16(X) * f16(v)",
        "Y[:] += X\nY[0] *= v\nY[:, 1] -= w",
        "Y += X",
        "row = Y[1]\nrow[2] = 7\nrow += v",
        "y = Y[1:, 2:]\ny[0, -1] = 3\ny[-1] = 4",
        "Y[:] = X.copy()",
        "Y[:] = np.copy(X[::-1])",
        "Y[:] = np.sqrt(abs(X))",
    ):
        run(body)


def test_overlapping_stores_go_through_a_copy() -> None:
    for body in (
        "Y[1:] = Y[:-1]",
        "Y[:, :-1] = Y[:, 1:]",
        "Y[:] = Y[::-1]",
        "v[:] = v / v[0]",
        "v[:] = v - v.max()",
        "v[1:] += v[:-1]",
        "Y[:] = Y * 2 + Y[0]",
        "v[:], w[0] = v[::-1], v[0]",
    ):
        run(body)
    assert not any(isinstance(s, Alloc) for s in all_stmts(nest_of(over("Y[:] = Y * 2 + X")).body))


def test_reductions() -> None:
    for body in (
        "w[0] = X.sum()",
        "w[0] = np.sum(X * X)",
        "w[0] = X.mean() + X[0].mean()",
        "w[0] = X.max() - X.min()",
        "w[0] = X.std() + v.var()",
        "w[:] = np.var(X, axis=1)",
        "v[:] = np.std(X, 0)",
        "w[0] = np.prod(v)",
        "w[:] = X.sum(axis=1)",
        "v[:] = X.sum(axis=0)",
        "w[:] = np.max(X, axis=-1)",
        "v[:] = X.mean(0)",
        "Y[:] = X - X.max(axis=1, keepdims=True)",
        "Y[:] = X / np.sum(X, axis=0, keepdims=True)",
        "w[0] = np.any(X > 8)\nw[1] = np.all(X < 100)",
        "w[0] = (X > 0).sum()",
        "for i in range(M):\n    e = np.exp(X[i] - X[i].max())\n    Y[i] = e / e.sum()",
        "w[0] = v @ v",
        "w[:] = X @ v",
        "v[:] = w @ X",
        "for i in range(M):\n    for j in range(i + 1):\n        Y[i, j] = X[i, :j] @ X[j, :j]",
        "w[:] = np.dot(X, v)",
        "A = X @ X.T\nw[:] = A[0]",
        "w[0] = X.sum(axis=(0, 1))",
    ):
        run(body, close=1e-5)


def test_max_keeps_nan() -> None:
    x = draw(3, 5)
    x[1, 2] = np.nan
    text = over("w[:] = X.max(axis=1)\nv[:] = np.min(X, axis=0)")
    check(text, x, draw(3, 5), draw(5), draw(3))


@pytest.mark.parametrize(
    ("dtype", "out"), [("f16", "f16"), ("i8", "i64"), ("i32", "i64"), ("f64", "f64"), ("bool", "i64")]
)
def test_sums_have_numpys_dtype(dtype: str, out: str) -> None:
    head = f"x: Tensor[{dtype}, N], s: Tensor[f64, 3]"
    kind = {"f16": "f2", "i8": "i1", "i32": "i4", "f64": "f8", "bool": "?"}[dtype]
    x = (draw(9) > 0) if dtype == "bool" else draw(9, dtype=kind)
    nest = check(over("t = x.sum()\ns[0] = t\ns[1] = x.mean()", head), x, np.zeros(3), close=1e-3)
    carried = {"f16": "f32"}.get(dtype, out)
    assert nest.variables[0].dtype.name == carried
    assert refusal(over("s[0] = x.sum()", head.replace(dtype, "u8")))[0] == "TL322"


def test_halves_are_summed_in_f32() -> None:
    head = "x: Tensor[f16, N], y: Tensor[f16, N], s: Tensor[f16, 2]"
    x = np.full(4096, 0.1, np.float16)
    check(over("s[0] = x.sum()\ns[1] = x @ y", head), x, x, np.zeros(2, np.float16), close=1e-3)


def test_new_arrays() -> None:
    for body in (
        "t = np.zeros((M, N), dtype=np.float32)\nt[1:, :] = X[1:]\nY[:] = t",
        "t = np.ones(N, f32)\nfor i in range(M):\n    Y[i] = t * w[i]",
        "t = np.empty_like(v)\nfor i in range(M):\n    t[:] = X[i]\n    Y[i] = t[::-1]",
        "t = np.full((M,), 2.5, dtype='float32')\nY[:, 0] = t",
        "t = np.zeros_like(X)\nt += 1\nY[:] = t",
        "t = np.zeros(N)\nt[:] = v\nY[0] = t",
        "k = np.arange(N)\nY[:] = X * (k % 2)\nY[0] = np.arange(2, 2 + N)",
        "for i in range(M):\n    t = X[i] * 2\n    t = t + 1\n    Y[i] = t",
        "t = np.full(N, 3, dtype=i32)\nY[:] = X * t",
    ):
        run(body)


def test_views_keep_standing_where_they_stand() -> None:
    body = "r = 1\nfor i in range(M):\n    r = (r + 1) % M\n    row = Y[r]\n    r = 0\n    row[:] = X[i]"
    run(body)
    head = "p: Tensor[i32, 2], Y: Tensor[f32, M, N]"
    check(over("row = Y[p[0]]\np[0] = 2\nrow[:] = 1", head), np.array([1, 0], np.int32), draw(3, 5))


def test_indices_of_a_slice_wrap_by_its_own_length() -> None:
    for i in (-3, -1, 0, 2):
        run(f"w[0] = v[1:4][{i}]\nw[1] = v[::-1][{i}]")
    head = "p: Tensor[i32, 1], v: Tensor[f32, N], o: Tensor[f32, 1]"
    for i in (-2, 0, 1):
        check(over("o[0] = v[1:][p[0]]", head), np.array([i], np.int32), draw(5), draw(1))


def test_rows_picked_by_an_array() -> None:
    head = "p: Tensor[i64, K], X: Tensor[f32, M, N], Y: Tensor[f32, K, N], u: Tensor[f32, K]"
    text = over("Y[:] = X[p]\nu[:] = X[p, 1]\nu += X[0, p]", head)
    check(text, np.array([2, 0, -1, 1]), draw(3, 5), draw(4, 5), draw(4))


def test_add_at_is_an_update() -> None:
    head = "p: Tensor[i64, N], x: Tensor[f32, N], y: Tensor[f32, M]"
    body = "for i in range(N):\n    np.add.at(y, p[i], x[i])"
    nest = check(over(body, head), np.array([2, 0, 2, 1]), draw(4), draw(3))
    assert any(isinstance(s, Update) for s in all_stmts(nest.body))
    for body in ("np.add.at(y, p, x)", "np.add.at(y, p[::-1], 2)", "np.multiply.at(y, p, x * 2)"):
        nest = check(over(body, head), np.array([2, 0, 2, 1]), draw(4), draw(3))
        assert any(isinstance(s, Update) for s in all_stmts(nest.body))


def test_results() -> None:
    check(over("return X + v", returns="object"), draw(3, 5), draw(3, 5), draw(5), draw(3))
    nest = check(
        over(
            "t = np.zeros((M, N), np.float32)\nt[:] = X\ns = f32(0)\nfor i in range(M):\n"
            "    s += w[i]\nreturn t, s", returns="object"),
        draw(3, 5), draw(3, 5), draw(5), draw(3),
    )  # fmt: skip
    assert nest.results == ("t", "result") and nest.scalar_results == ("result",)
    assert [a.role for a in nest.arrays if a.name in nest.results] == ["result", "result"]
    check(
        over("t = X[0] * 2\nreturn t, t[1:], t.sum()", returns="object"),
        draw(3, 5),
        draw(3, 5),
        draw(5),
        draw(3),
        close=1e-6,
    )
    assert refusal(over("return X", returns="object")) == ("TL347", "return X")
    assert codes(over("Y[:] = X\nreturn")) == []
    assert refusal(over("n = int(w[0])\nreturn np.zeros(n)", returns="object"))[0] == "TL347"


def test_shapes() -> None:
    for body in (
        "n = len(v)\nfor i in range(n):\n    v[i] = i",
        "m, n = X.shape\nw[0] = m * n\nw[1] = X.size + X.ndim + X.shape[1] + len(X.shape)",
        "w[0] = X[1:, 2:].shape[1] + X.T.shape[0] + len(X)",
        "w[0] = X[:, None].ndim",
    ):
        run(body)


def test_extents_of_axes_are_named_after_their_dims() -> None:
    nest = nest_of(over("Y[:] = X"))
    loops = [s.axis for s in all_stmts(nest.body) if isinstance(s, Loop)]
    assert [(a.name, a.user) for a in loops] == [("m", ""), ("n", "")]


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ("Y[:] = w", "TL332", "Y[:] = w"),
        ("v[:] = v + w", "TL332", "v + w"),
        ("w[0] = w @ v", "TL332", "w @ v"),
        ("w[0] = X.sum(axis=2)", "TL333", "2"),
        ("w[0] = X.argsort()", "TL341", "X.argsort()"),
        ("w[0] = 3 @ v", "TL327", "3 @ v"),
        ("w[0] = X.sum(axis=0)", "TL334", None),
        ("w[0] = len(3)", "TL327", "len(3)"),
        ("v[0, 0] = 1", "TL330", "v[0, 0]"),
        ("Y[np.arange(M)] = 0", "TL340", "Y[np.arange(M)]"),
        ("v[::N] = 0", "TL345", "N"),
        ("t = np.zeros(M, order='F')", "TL342", "order='F'"),
        ("t = np.zeros(M, 'f99')", "TL312", "'f99'"),
        ("t = np.zeros(1.5)", "TL340", "1.5"),
        ("w[0] = max(X)", "TL326", "max(X)"),
        ("w[0] = math.exp(v)", "TL342", "v"),
        ("if v > 0:\n    w[0] = 1", "TL326", "v > 0"),
        ("t = (v > 0) and (v < 1)", "TL326", "v > 0"),
    ],
)
def test_refusals(body: str, code: str, text: str | None) -> None:
    assert refusal(over(body)) == (code, text or body)


def test_in_place_of_a_lesser_kind_is_refused() -> None:
    head = "a: Tensor[i32, N], x: Tensor[f32, N]"
    assert refusal(over("a += x", head)) == ("TL322", "a += x")
    check(over("a[0] += x[0]", head), np.array([5, 6], np.int32), draw(2))


def test_an_array_that_every_turn_makes_anew() -> None:
    run("t = np.zeros(N, f32)\nfor i in range(M):\n    t = t * 0.5 + X[i]\n    Y[i] = t\nv[:] = t")
    run("t = v * 1\nfor i in range(M):\n    for j in range(2):\n        t = t[::-1] + X[i]\nv[:] = t")
    shared = "t = np.zeros(N, f32)\nu = t\nfor i in range(M):\n    t = t + X[i]\nv[:] = u + t"
    assert refusal(over(shared)) == ("TL304", "t")
    assert refusal(over("t = v\nfor i in range(M):\n    t = t + X[i]\nv[:] = t"))[0] == "TL304"
    assert refusal(over("t = v * 1\nfor i in range(M):\n    t = t[1:] * 2\nw[0] = t[0]"))[0] == "TL304"


def test_expressions_nested_too_deeply_are_refused_at_their_place() -> None:
    source = Source("k.py", IMPORTS + over("Y[:] = " + " + ".join(["X"] * 200)))
    report = Report(source)
    module = read(source, report)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 300)
    try:
        nest = build(module.functions[0], module, report)
    finally:
        sys.setrecursionlimit(limit)
    assert nest is None and [p.code for p in report.problems] == ["TL340"]


def test_equal_extents_by_assertion() -> None:
    head = "A: Tensor[f32, :, :], B: Tensor[f32, :, :]"
    assert refusal(over("A[:] = B", head))[0] == "TL332"
    check(over("assert A.shape == B.shape\nA[:] = B", head), draw(2, 3), draw(2, 3, seed=5))
