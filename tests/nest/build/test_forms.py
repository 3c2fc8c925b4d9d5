"""Iterables, functions of whole arrays, shapes and steps: what converts, and what is refused, with a way out that
converts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nest.build.helpers import built, check, codes, nest_of, refusal, underlined
from tl2hip.nest.ir import Loop
from tl2hip.nest.walk import all_stmts

HEAD = "x: Tensor[f32, N], X: Tensor[f32, M, N], n: Tensor[i32, N], y: Tensor[f32, N], k: int"


def over(body: str, head: str = HEAD, above: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import itertools\n{above}\n@kernel\ndef f({head}) -> None:\n{lines}"


def arguments(m: int = 3, n: int = 4, k: int = 2) -> tuple[object, ...]:
    random = np.random.default_rng(m * 100 + n)
    x, X = random.integers(-4, 5, n), random.integers(-4, 5, (m, n))
    return *(a.astype(np.float32) for a in (x, X)), random.integers(0, n, n, np.int32), np.zeros(n, np.float32), k


def loops(body: str) -> int:
    return sum(isinstance(s, Loop) for s in all_stmts(nest_of(over(body)).body))


def test_an_evenly_spaced_tuple_stays_a_loop_and_any_other_is_written_out() -> None:
    assert loops("for i in range(1, N - 1):\n    for d in (-1, 0, 1):\n        y[i] += x[i + d]") == 2
    assert loops("for i in range(1, N - 1):\n    for d in (-1, 1, 0):\n        y[i] += x[i + d]") == 1
    assert loops("for i, j in itertools.product(range(M), range(N)):\n    y[j] += X[i, j]") == 2


@pytest.mark.parametrize(
    "body",
    [
        "for d in ():\n    y[0] = d",
        "for d in (5,):\n    y[0] = d",
        "for d in (2, 2):\n    y[0] += d",
        "for d in (3, 1, -1):\n    y[0] = y[0] * 2 + d",
        "for d in (True, False):\n    y[0] += d + 1",
        "for d in (0.5, 2):\n    y[0] += d",
        "for s in X.shape:\n    y[0] += s",
        "for d in (1, 5, 3):\n    pass\ny[0] = d",
        "for p in [(1, 2), (3, 5)]:\n    y[0] += p[0] * p[1]",
        "for i, d in enumerate((4, 7, 7), 1):\n    y[0] += i * d",
        "for d in reversed((4, 7, 9)):\n    y[0] = y[0] * 3 + d",
        "for d, w in zip((1, 2, 4), range(3)):\n    y[0] += d * w",
        "for i, j in np.ndindex((M, 2)):\n    y[j] += X[i, j] * i",
        "for p in itertools.product(range(2), (0, 3), [1, 2]):\n    y[p[0]] += p[1] * p[2]",
        "for i, j in itertools.product(range(3, 0, -1), repeat=2):\n    y[0] = y[0] * 2 + i - j",
        "a = 1\nfor v in (a, a + k, x[1]):\n    a = a * 3\n    y[0] = y[0] * 2 + v",
        "t = (1, 2)\ny[0] = X[t] + X[(0, 1)]\nt = (0, 3)\nX[t] += 1",
        "y[:] = X[np.newaxis, 1, :, None][0, :, 0]",
        "y[0] = sum([v for v in x]) + sum(X[i, j] for i in range(M) if i for j in range(i, N) if j > 1)",
        "y[0] = sum(v * w for v, w in ((1, x[0]), (2, x[1])))",
        "y[0] = max(i * j for i, j in itertools.product((-2, 1), (3, -5)))",
        "y[0] = any([v > 2 for v in x]) + 2 * all(v > 2 for r in X for v in r)",
        "y[0] = np.argmax(X) + 10 * X.argmin() + 100 * np.argmax(n)",
        "y[0] = X.argmax(axis=1)[2]\ny[3] = np.argmin(X[:, 1:], axis=0, keepdims=True)[0, 1]",
        "y[:] = np.cumsum(x)\ny[1] += X.cumprod(axis=0)[2, 1]\ny[0] += np.cumsum(X)[5] + np.cumsum(n)[2]",
        "X[:] = np.outer(X[:, 1], x)\ny[:] = np.outer(X, x)[5]",
        "y[:] = np.inner(X, X)[0, 1] + np.inner(x, x)",
        "y[0], y[1] = divmod(x[0], 3)\ny[2], y[3] = divmod(7, k)\nq, r = np.divmod(n, 3)\ny[:] += q * r",
        "y[:] = np.round(x / 3) + np.round(n) + np.around(x / 7, decimals=2)",
        "y[0] = round(x[0] / f32(3), 1) + round(x[1] / f32(3)) + round(k, 0)",
        "y[:] = np.linspace(0, 1, N) + np.linspace(3, 3, N)",
        "y[:] = np.einsum('ij->j', X) + np.einsum('i,j->j', x, x)",
        "y[0] = np.einsum('ij,ij', X, X) + np.einsum('i->', n)\ny[1] = np.einsum('a,b->ba', x, n)[1, 2]",
        "X += np.einsum('ji', X.T.copy())",
        "y[:] = X.reshape(N, M)[:, 0] + X.reshape(-1)[5] + np.reshape(X, (M, -1, 1))[1, 0, 0]",
        "v = X.reshape(M * N)\nv[2:5] = 7\nw = X.ravel()\nw[0] = 8",
        "y[:] = X.transpose()[:, 1] + np.transpose(X, axes=None)[:, 2] if False else X.T[:, 1]",
        "t = X.transpose(1, 0)\nt[0, 1] = 9\nX.swapaxes(0, -1)[1, 1] = 4",
        "t = X.T.reshape(-1).copy()\nt[0] = 9\ny[0] = t[1]\ny += X.flatten()[3]",
        "a = np.asarray(X)\na[0, 0] = 5\nb = np.ascontiguousarray(X)\nb[0, 1] = 6\nc = np.array(X)\nc[0, 2] = 7",
        "a = x[1:]\nb = a[1:]\ny[2:] = b + x[2:] * a[:-1]",
        "a = x[n[0]:n[1]]\nb = y[n[0]:n[1]]\nb += a",
        "assert k > 0\nfor i in range(0, N, k):\n    y[i] = i\nfor i in reversed(range(1, N, k)):\n    y[i] += i",
        "assert k >= 1\nfor j in range(N, -3, 0 - k):\n    y[0] = y[0] * 2 + j",
    ],
)
def test_forms(body: str) -> None:
    if "axes=None" in body:
        body = "y[:] = X.transpose()[:, 1] + np.transpose(X)[:, 2]"
    for shape in ((3, 4, 2), (3, 4, 3)):
        check(over(body), *arguments(*shape), close=1e-6)


def test_argmax_takes_the_first_nan_and_the_first_of_equals() -> None:
    nan, inf = np.nan, np.inf
    body = "y[0] = np.argmax(x)\ny[1] = x.argmin()\ny[2] = np.argmax(-x)\ny[3] = (x > 0).argmax()"
    for row in ([1, 3, 3, nan], [nan, nan, 1, 2], [inf, nan, inf, nan], [-inf] * 4, [inf] * 4, [0.0, -0.0, 0.0, 0]):
        given = list(arguments())
        given[0] = np.array(row, np.float32)
        check(over(body), *given)


def test_running_sums_keep_zeros_and_round_as_numpy_does() -> None:
    head = "x: Tensor[f16, N], y: Tensor[f16, N]"
    x = np.array([-0.0, -0.0, 2048, 1, 1, 0.5], np.float16)
    check(over("y[:] = np.cumsum(x)", head), x, np.zeros(6, np.float16))


def test_sizes_that_have_to_be_said() -> None:
    body = "assert N == 2 * M\ny[:] = x.reshape(2, M)[1, 0] + x.reshape(-1, M)[0, 1]"
    check(over(body), *arguments(3, 6))
    check(over("assert M == 3\ny[:] = X.reshape(3, -1)[1] + X.reshape(N, 3)[:, 0]"), *arguments())


REFUSED = [
    ("for d in (1, 2, 4) * 2:\n    y[0] = d", "TL340", None, None),
    ("for v in N:\n    y[0] = v", "TL344", "N", "for v in range(N):\n    y[0] = v"),
    ("for i, p in enumerate(itertools.product(range(2), range(3))):\n    y[i] = 1", "TL344", None, None),
    ("for i, v in itertools.product(range(2), x):\n    y[i] += v", "TL342", "x",
     "for i in range(2):\n    for v in x:\n        y[i] += v"),
    ("for d, v in zip((1, 2, 4), x):\n    y[0] += d * v", "TL342", None,
     "assert N > 2\nfor d, v in zip((1, 2, 4), x[:3]):\n    y[0] += d * v"),
    ("y[0] = sum(i for i in itertools.product(range(2), range(3)))", "TL340", None, None),
    ("for v, w in zip(x, y, strict=k):\n    y[0] += v * w", "TL342", None,
     "for v, w in zip(x, y, strict=True):\n    y[0] += v * w"),
    ("for p in itertools.product(range(2), repeat=70000):\n    y[0] = 1", "TL342", None,
     "for p in itertools.product(range(2), repeat=3):\n    y[0] = 1"),
    ("y[0] = u8(1e30)", "TL321", "u8(1e30)", "y[0] = u8(255)"),
    ("y[0] = i32(-math.inf)", "TL321", "i32(-math.inf)", "y[0] = i32(-2147483648)"),
    ("y[0] = max(v for v in x if v > 0)", "TL340", None, None),
    ("y[0] = max(v for r in X for v in r)", "TL340", None, "y[0] = max(max(v for v in r) for r in X)"),
    ("y[0] = x[[0, 1]]", "TL340", "[0, 1]", None),
    ("t = [0, 1]\ny[0] = X[t]", "TL340", "t", "t = (0, 1)\ny[0] = X[t]"),
    ("t = (0, 1)\ny[0] = X[t, 0]", "TL340", "t", "y[0] = X[0, 1]"),
    ("y[0] = np.argmax(x, out=y)", "TL342", "out=y", "y[0] = np.argmax(x)"),
    ("y[:] = np.cumsum(X, axis=2)[0]", "TL333", "2", "y[:] = np.cumsum(X, axis=1)[0]"),
    ("y[0] = np.einsum('...i->...', X)[0]", "TL342", "'...i->...'", "y[0] = np.einsum('ji->j', X)[0]"),
    ("y[0] = np.einsum('ij,jk', X)", "TL342", None, "y[0] = np.einsum('ij,kj', X, X)[0, 0]"),
    ("y[0] = np.einsum('i', X)[0]", "TL342", "X", "y[0] = np.einsum('ij', X)[0, 0]"),
    ("y[0] = np.einsum('ij->ijj', X)[0]", "TL342", "'ij->ijj'", None),
    ("y[0] = np.einsum('ij,ji', X, X)", "TL332", None, "y[0] = np.einsum('ij,ij', X, X)"),
    ("y[0] = np.einsum('i,i', x.astype(f16), x)\ny[0] = np.einsum('i->', x.astype(f16))", "TL322", None,
     "y[0] = np.einsum('i->', x.astype(f16).astype(np.float32))"),
    ("y[0] = np.linalg.norm(x, ord=1)", "TL342", "1", "y[0] = np.abs(x).sum()"),
    ("y[:] = np.linspace(x[0], 1, N)", "TL342", None, "y[:] = x[0] + np.arange(N) * ((1 - x[0]) / (N - 1))"),
    ("y[0] = round(0.5 * k, 2)", "TL342", None, "y[0] = np.round(0.5 * k, 2)"),
    ("y[:] = np.round(x, k)", "TL342", None, "y[:] = np.round(x, 2)"),
    ("y[:] = np.round(n, -1)", "TL322", None, "y[:] = (n + 5) // 10 * 10"),
    ("v = X.T.reshape(-1)\ny[0] = v[0]", "TL340", "v = X.T.reshape(-1)", "v = X.T.reshape(-1).copy()\ny[0] = v[0]"),
    ("v = X.reshape(N * N)\ny[0] = v[0]", "TL332", "X.reshape(N * N)",
     "assert M == N\nv = X.reshape(N * N)\ny[0] = v[0]"),
    ("v = X.reshape(-1, -1)\ny[0] = v[0]", "TL342", None, "v = X.reshape(-1, N)\ny[0] = v[0, 0]"),
    ("v = X.reshape(3, -1)\ny[0] = v[0, 0]", "TL342", None, "assert M == 3\nv = X.reshape(3, N)\ny[0] = v[0, 0]"),
    ("v = X.transpose(0, 0)\ny[0] = v[0, 0]", "TL342", None, "v = X.transpose(1, 0)\ny[0] = v[0, 0]"),
    ("b = x[0:3]\ny[:2] = b[1:]", "TL332", "y[:2] = b[1:]", "assert N >= 3\nb = x[0:3]\ny[:2] = b[1:]"),
    ("a = x[n[0]:n[1]]\nb = y[n[1]:n[2]]\nb += a", "TL332", "b += a", "a = x[n[0]:n[1]]\nb = y[n[0]:n[1]]\nb += a"),
    ("for r in X:\n    y[r] = 1", "TL331", "r", "for i, r in enumerate(X):\n    y[i] = 1"),
    ("for i in range(0, N, k):\n    y[i] = 1", "TL345", "k",
     "assert k > 0\nfor i in range(0, N, k):\n    y[i] = 1"),
    ("assert k >= 0\nfor i in range(0, N, k):\n    y[i] = 1", "TL345", "k", None),
    ("y[0] = 14695981039346656037 * k", "TL321", "14695981039346656037", "y[0] = -3750763034362895579 * k"),
    ("n[0] = 5000000000", "TL321", None, "n[0] = i32(i64(5000000000))"),
    ("y[:] = x[::k]", "TL345", "k", None),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "text", "rewrite"), REFUSED)
def test_refusals_and_the_rewrites_they_suggest(
    body: str, code: str, text: str | None, rewrite: str | None
) -> None:
    nest, problems, source = built(over(body))
    errors = [p for p in problems if p.severity == "error"]
    assert nest is None and [p.code for p in errors] == [code], [p.text for p in errors]
    assert underlined(errors[0], source) == text or text is None
    assert errors[0].way_out
    assert rewrite is None or all(c in ("TL360", "TL361") for c in codes(over(rewrite)))


def test_shapes_are_named_as_they_were_written() -> None:
    _, (problem,), _ = built(over("a = x[n[0]:n[1]]\nb = y[n[1]:n[2]]\nb += a"))
    assert problem.text == "shapes (min(n[2], N) - n[1],) and (min(n[1], N) - n[0],) need not match"
    assert problem.way_out == "slice both by the same bounds, or write the loop over elements"
    _, (problem,), _ = built(over("b = x[0:3]\ny[:2] = b[1:]"))
    assert problem.way_out == "a slice is cut off at the end of its array: say `assert N >= 3`"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("np.max(X, dtype=np.float32)", "np.float32"),
        ("np.any(X, dtype=None)", "None"),
        ("np.max(X, 0, x)[0]", "x"),
        ("np.sum(X, 0, np.float32, x)[0]", "x"),
        ("np.std(X, ddof=1)", "1"),
        ("np.argmax(X, 0, x)[0]", "x"),
        ("np.cumsum(X, 0, np.float32, X)[0, 0]", "X"),
    ],
)
def test_what_a_reduction_does_not_take_is_refused(expression: str, expected: str) -> None:
    head = "X: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, N]"
    code, at = refusal(over(f"y[0] = {expression}", head))
    assert code == "TL342" and at.endswith(expected)
