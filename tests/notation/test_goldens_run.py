"""Every golden kernel is ordinary Python: run on NumPy, it gives what its formula gives, and so does its nest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .loading import GOLDEN, golden
from .repeating import repeat

pytestmark = pytest.mark.usefixtures("repeated_by_the_nest")

Array = np.ndarray[Any, Any]
SHAPES = [(1, 1, 1), (3, 5, 4), (7, 2, 9)]


def draw(*shape: int, seed: int = 0, dtype: str = "f4") -> Array:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def close(got: Array, expected: Array, roundoff: float = 2**-20) -> None:
    np.testing.assert_allclose(got.astype("f8"), expected, rtol=roundoff, atol=roundoff)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cdf(x: Array) -> Array:
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


@pytest.mark.parametrize(("m", "n", "k"), [*SHAPES, (0, 3, 2), (2, 0, 3), (2, 3, 0)])
def test_gemm(m: int, n: int, k: int) -> None:
    a, b, c = draw(m, k, dtype="f2"), draw(k, n, seed=1, dtype="f2"), np.full((m, n), np.nan, "f4")
    golden("gemm").gemm(a, b, c)
    close(c, a.astype("f8") @ b.astype("f8"))


@pytest.mark.parametrize(("m", "n", "k"), [*SHAPES, (0, 3, 2), (2, 0, 3), (2, 3, 0)])
def test_gemm_256(m: int, n: int, k: int) -> None:
    a, b, c = draw(m, k, dtype="f2"), draw(n, k, seed=1, dtype="f2"), np.full((m, n), np.nan, "f2")
    golden("gemm_256").gemm_256(a, b, c)
    close(c, a.astype("f8") @ b.astype("f8").T, 2**-9)


@pytest.mark.parametrize(("m", "n", "k"), [*SHAPES, (0, 3, 2), (2, 0, 3), (2, 3, 0)])
def test_gemm_tiles(m: int, n: int, k: int) -> None:
    a, b, c = draw(m, k, dtype="f2"), draw(k, n, seed=1, dtype="f2"), np.full((m, n), np.nan, "f4")
    golden("gemm_tiles").gemm(a, b, c)
    close(c, a.astype("f8") @ b.astype("f8"))


@pytest.mark.parametrize(("t", "d", "h"), [*SHAPES, (0, 3, 2), (2, 3, 0), (2, 0, 3)])
def test_gemm_bias_gelu(t: int, d: int, h: int) -> None:
    x, w, bias = draw(t, d, dtype="f2"), draw(h, d, seed=1, dtype="f2"), draw(h, seed=2)
    y = np.full((t, h), np.nan, "f2")
    golden("gemm_bias_gelu").gemm_bias_gelu(x, w, bias, y)
    v = x.astype("f8") @ w.astype("f8").T + bias
    close(y, 0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v**3))), roundoff=2**-9)


@pytest.mark.parametrize(("m", "n", "k"), [*SHAPES, (0, 3, 2), (2, 3, 0)])
def test_gemm_fp8(m: int, n: int, k: int) -> None:
    a, b = (draw(*s, seed=e).astype("float8_e4m3fnuz") for e, s in enumerate(((m, k), (n, k))))
    scale_a, scale_b = np.abs(draw(m, seed=2)), np.abs(draw(n, seed=3))
    c = np.full((m, n), np.nan, "f4").astype("bfloat16")
    golden("gemm_fp8").gemm_fp8(a, b, scale_a, scale_b, c)
    close(c, (a.astype("f8") @ b.astype("f8").T) * scale_a[:, None] * scale_b, roundoff=2**-7)


@pytest.mark.parametrize("n", [0, 1, 13])
def test_add(n: int) -> None:
    a, b, out = draw(n), draw(n, seed=1), np.empty(n, "f4")
    golden("add").add(a, b, out)
    assert (out == a + b).all()


def test_swiglu() -> None:
    gate, up, out = draw(3, 5, dtype="f2"), draw(3, 5, seed=1, dtype="f2"), np.empty((3, 5), "f2")
    golden("swiglu").swiglu(gate, up, out)
    g = gate.astype("f8")
    close(out, g / (1 + np.exp(-g)) * up, 2**-10)


def test_black_scholes() -> None:
    spot, strike, years = (np.abs(draw(9, seed=s)) + np.float32(0.5) for s in range(3))
    call, put, rate, volatility = np.empty(9, "f4"), np.empty(9, "f4"), 0.03, 0.25
    golden("black_scholes").black_scholes(spot, strike, years, rate, volatility, call, put)
    s, k, t = spot.astype("f8"), strike.astype("f8"), years.astype("f8")
    d1 = (np.log(s / k) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    close(call, s * cdf(d1) - k * np.exp(-rate * t) * cdf(d2), 2**-17)
    close(call - put, s - k * np.exp(-rate * t), 2**-17)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 7), (3, 0)])
def test_gemv(m: int, n: int) -> None:
    a, x, y = draw(m, n), draw(n), np.empty(m, "f4")
    golden("gemv").gemv(a, x, y)
    close(y, a.astype("f8") @ x.astype("f8"))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 7), (3, 0)])
def test_softmax(m: int, n: int) -> None:
    x, y = draw(m, n) * 10, np.empty((m, n), "f4")
    golden("softmax").softmax(x, y)
    if n:
        close(y, softmax(x.astype("f8")))


def test_rmsnorm() -> None:
    x, weight, y = draw(4, 6, dtype="f2"), draw(6, dtype="f2"), np.empty((4, 6), "f2")
    golden("rmsnorm").rmsnorm(x, weight, y, 1e-5)
    v = x.astype("f8")
    close(y, v / np.sqrt((v * v).mean(axis=1, keepdims=True) + 1e-5) * weight, 2**-10)


def test_layernorm() -> None:
    x, weight, bias, y = draw(4, 6), draw(6), draw(6, seed=1), np.empty((4, 6), "f4")
    golden("layernorm").layernorm(x, weight, bias, y, 1e-5)
    v = x.astype("f8")
    centred = v - v.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    close(y, centred / scale * weight + bias)


def test_transpose() -> None:
    a, b = draw(3, 5), np.empty((5, 3), "f4")
    golden("transpose").transpose(a, b)
    assert (b == a.T).all()


def test_syrk_leaves_the_upper_triangle() -> None:
    a, c = draw(5, 3), draw(5, 5, seed=1)
    before = c.copy()
    golden("syrk").syrk(1.5, -0.5, a, c)
    full = 1.5 * a.astype("f8") @ a.T.astype("f8") - 0.5 * before
    close(c, np.where(np.tri(5, dtype=bool), full, before))


def test_spmv_with_an_empty_row() -> None:
    start, column = np.array([0, 2, 2, 5], "i4"), np.array([0, 3, 1, 2, 3], "i4")
    value, x, y = draw(5), draw(4, seed=1), np.empty(3, "f4")
    golden("spmv").spmv(start, column, value, x, y)
    dense = np.zeros((3, 4))
    for row in range(3):
        for p in range(start[row], start[row + 1]):
            dense[row, column[p]] = value[p]
    close(y, dense @ x)


def test_paged_gather() -> None:
    cache, table = draw(6, 4, 3, dtype="f2"), np.array([[5, 0, 2], [1, 3, 4]], "i4")
    out = np.empty((2, 10, 3), "f2")
    golden("paged_gather").paged_gather(cache, table, out)
    for s in range(2):
        assert (out[s] == cache[table[s]].reshape(12, 3)[:10]).all()


def test_histogram_adds() -> None:
    x, hist = (draw(50) / 2).astype("f4"), np.arange(8, dtype="i4")
    golden("histogram").histogram(x, hist)
    # int() rounds towards zero, so values just below 0 fall into bin 0 as Python has it
    inside = x[(x * 8 > -1) & (x < 1)]
    counted = np.bincount((inside * 8).astype(int), minlength=8)
    assert (hist == np.arange(8) + counted).all()


def step(a: Array, b: Array) -> Array:
    out = b.copy()
    out[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
    return out


@pytest.mark.parametrize(("h", "w"), [(1, 4), (2, 2), (3, 3), (5, 7)])
def test_jacobi(h: int, w: int) -> None:
    a, b = draw(h, w), draw(h, w, seed=1)
    expected = step(a, b)
    golden("jacobi").jacobi(a, b)
    assert (b == expected).all()


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_jacobi_time(steps: int) -> None:
    a, b = draw(6, 6), draw(6, 6, seed=1)
    x, y = a.copy(), b.copy()
    for _ in range(steps):
        y = step(x, y)
        x = step(y, x)
    golden("jacobi_time").jacobi_time(steps, a, b)
    assert (a == x).all() and (b == y).all()


def test_laplace() -> None:
    p = draw(5, 6)
    p[1:-1, 1:-1] = 0
    edge = p.copy()
    assert golden("laplace").laplace(p, np.empty_like(p), np.float32(1e-4), 500) < 500
    assert (p[0] == edge[0]).all() and (p[:, -1] == edge[:, -1]).all()
    mean = 0.25 * (p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1])
    assert np.allclose(p[1:-1, 1:-1], mean, atol=1e-4)
    assert golden("laplace").laplace(p, np.empty_like(p), np.float32(0), 0) == 0


def test_mandelbrot() -> None:
    count = np.full((4, 6), -1, "i4")
    golden("mandelbrot").mandelbrot(-2, 1, 0.5, 30, count)
    assert count[2, 4] == 30 and count[0, 0] == 1
    assert ((count > 0) & (count <= 30)).all()


def test_two_mm() -> None:
    a, b, c, d = draw(3, 4), draw(4, 5), draw(5, 2), draw(3, 2)
    expected = 1.5 * (a.astype("f8") @ b) @ c + 0.25 * d
    golden("two_mm").two_mm(1.5, 0.25, a, b, c, d)
    close(d, expected)


def test_total() -> None:
    x, out = draw(5, 7), np.empty(1, "f4")
    golden("total").total(x, out)
    close(out, np.array([x.sum(dtype="f8")]))


@pytest.mark.parametrize("n", [0, 1, 9])
def test_scan(n: int) -> None:
    x, y = draw(n), np.empty(n, "f4")
    golden("scan").prefix_sum(x, y)
    assert (y == np.cumsum(x)).all()


def test_argmax_takes_the_first() -> None:
    x = np.array([[1, 3, 3], [-5, -7, -5], [0, 0, 0]], "f4")
    value, index = np.empty(3, "f4"), np.empty(3, "i4")
    golden("argmax").argmax(x, value, index)
    assert value.tolist() == [3, -5, 0] and index.tolist() == [1, 0, 0]


@pytest.mark.parametrize("source", ["naive", "running", "tiles"])
def test_attention(source: str) -> None:
    q, k, v = (draw(2, n, 128, seed=s, dtype="f2") for s, n in enumerate((3, 5, 5)))
    out = np.empty((2, 3, 128), "f2")
    name = f"attention_{source}"
    getattr(golden(name), name)(q, k, v, out, np.float32(0.1))
    weights = softmax(0.1 * q.astype("f8") @ k.astype("f8").transpose(0, 2, 1))
    close(out, weights @ v.astype("f8"), 2**-9)


def test_decode() -> None:
    q = draw(2, 16, 128, dtype="f2")
    keys, values = (draw(3, 16, 2, 128, seed=s, dtype="f2") for s in (1, 2))
    table, lengths = np.array([[2, 0], [1, 99]], "i4"), np.array([19, 3], "i4")
    out = np.empty((2, 16, 128), "f2")
    golden("decode").decode(q, keys, values, table, lengths, out)
    for b, pages in enumerate(([2, 0], [1])):
        k, v = (x[pages].reshape(-1, 2, 128)[: lengths[b]].repeat(8, axis=1).astype("f8") for x in (keys, values))
        weights = softmax(np.einsum("hd,jhd->hj", q[b].astype("f8"), k) / np.sqrt(128))
        close(out[b], np.einsum("hj,jhd->hd", weights, v), 2**-9)


def test_int4_gemm() -> None:
    a, scale = draw(3, 256, dtype="f2"), draw(2, 5, seed=1, dtype="f2")
    nibbles = np.random.default_rng(2).integers(0, 16, (256, 5), "u1")
    packed, c = nibbles[::2] | nibbles[1::2] << 4, np.full((3, 5), np.nan, "f2")
    golden("int4_gemm").int4_gemm(a, packed, scale, c)
    weights = (nibbles.astype("f2") - np.float16(8)) * scale.repeat(128, axis=0)
    close(c, a.astype("f8") @ weights.astype("f8"), 2**-9)


def test_pairwise_returns_an_array() -> None:
    x, y = draw(3, 4), draw(5, 4, seed=1)
    got = golden("pairwise").pairwise(x, y)
    assert got.dtype == np.float32
    close(got, np.linalg.norm(x[:, None].astype("f8") - y[None], axis=-1))


def test_every_golden_is_run_here() -> None:
    tests = [name for name in globals() if name.startswith("test_")]
    for name in sorted(path.parent.name for path in GOLDEN.glob("*/kernel.py")):
        one = name.partition("_")[0] if name.startswith("attention") else name
        assert name == "gemm_article" or any(test.startswith(f"test_{one}") for test in tests), name


def test_the_nest_is_compared_exactly() -> None:
    a, b = draw(5), draw(5, seed=1)
    before = {"a": a, "b": b, "out": np.zeros(5, "f4")}
    kernel = golden("add").add
    repeat(kernel, before, {"out": a + b}, None)
    with pytest.raises(AssertionError):
        repeat(kernel, before, {"out": np.nextafter(a + b, np.float32(9))}, None)
