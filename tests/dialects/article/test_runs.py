"""An article kernel's nest gives what the kernel gives on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.dialects.article.helpers import both

GEMM = """
def gemm(M, N, K, block_m=64, block_n=64, block_k=32):
    A = tl.InputTensor("A", [M, K], "float16")
    B = tl.InputTensor("B", [K, N], "float16")
    C = tl.OutputTensor("C", [M, N], "float32")
    i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    c = tl.dot(A[i, k].load(), B[k, j].load())
    C[i, j].store(c)

kernel = tl.CompileKernel(gemm)
"""
EPILOGUE = """
def epilogue(M, N, K):
    A = tl.InputTensor("A", [M, K], "float32")
    B = tl.InputTensor("B", [K, N], "float32")
    bias = tl.InputTensor("bias", [N], "float32")
    C = tl.OutputTensor("C", [M, N], "float16")
    i, j, k = tl.TileLoop([M, N, K], [16, 16, 16])
    c = 0.5 * tl.dot(A[i, k].load(), B[k, j].load()) + bias[j].load()
    C[i, j].store(1 / (1 + tl.exp(-c)))

kernel = tl.CompileKernel(epilogue)
"""
SOFTMAX = """
def softmax(M, N):
    X = tl.InputTensor("X", [M, N], tl.f32)
    Y = tl.OutputTensor("Y", [M, N], np.float32)
    i, j = tl.TileLoop([M, N], [1, 64])
    x = X[i, j].load()
    e = tl.exp(x - tl.max(x, axis=1))
    Y[i, j].store(e / tl.sum(e, axis=j))

kernel = tl.CompileKernel(softmax)
"""
COLUMNS = """
def columns(M, N):
    X = tl.InputTensor("X", [M, N], "float32")
    Y = tl.OutputTensor("Y", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [1, 64])
    x = X[i, j].load()
    Y[i, j].store(x / tl.sum(x, axis=0))

kernel = tl.CompileKernel(columns)
"""
CROSS = """
def cross(M, N):
    X = tl.InputTensor("X", [M, N], "float32")
    Y = tl.OutputTensor("Y", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [1, 64])
    x = X[i, j].load()
    Y[i, j].store(x / tl.sum(x, axis=0) / tl.sum(x, axis=1))

kernel = tl.CompileKernel(cross)
"""
BATCHED = """
def batched(B, M, N, K):
    X = tl.InputTensor("X", [B, M, K], "float16")
    W = tl.InputTensor("W", [B, K, N], "float16")
    Y = tl.OutputTensor("Y", [B, M, N], "float32")
    b, i, j, k = tl.TileLoop([B, M, N, K], [1, 32, 32, 32])
    Y[b, i, j].store(tl.dot(X[b, i, k].load_shared(), W[b, k, j].load_shared()))

kernel = tl.CompileKernel(batched)
"""
ATTENTION = """
def attention(B, S, T, D):
    Q = tl.InputTensor("Q", [B, S, D], tl.f16)
    K = tl.InputTensor("K", [B, T, D], np.float16)
    V = tl.InputTensor("V", [B, T, D], "f16")
    out = tl.OutputTensor("O", [B, S, D], "half")
    top = tl.OutputTensor("top", [B, S], np.dtype("float32"))
    b, i, j, d, e = tl.TileLoop([B, S, T, D, D], [1, 64, 64, 64, 64])
    with tl.Unroll(4):
        s = 0.5 * tl.dot(Q[b, i, e].load(), K[b, j, e].load_shared())
    m = tl.max(s, axis=2)
    p = tl.exp(s - m)
    out[b, i, d].store(tl.dot(p, V[b, j, d].load()) / tl.sum(p, axis=-1))
    top[b, i].store(m)

kernel = tl.CompileKernel(attention, unroll=4, prefetch=1)
"""
SUMMED = """
def summed(M, N, K):
    X = tl.InputTensor("X", [M, N, K], "float16")
    v = tl.InputTensor("v", [M], "float32")
    Y = tl.OutputTensor("Y", [M], "float32")
    i, j, k = tl.TileLoop([M, N, K], [8, 8, 8])
    Y[i].store(X[i, j, k].load() * 2 + v[i].load())

kernel = tl.CompileKernel(summed)
"""
SPREAD = """
def spread(M, N):
    v = tl.InputTensor("v", [N], "float32")
    Y = tl.OutputTensor("Y", [M, N], "float32")
    Z = tl.OutputTensor("Z", [N, M], "int32")
    W = tl.OutputTensor("W", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [8, 8])
    Y[i, j].store(v[j].load())
    Z[j, i].store(-v[j].load() * 3)

kernel = tl.CompileKernel(spread, M=4)
"""
PARTS = """
def parts(M, N):
    X = tl.InputTensor("X", [M, 2 * N + 1], "float32")
    Y = tl.OutputTensor("Y", [M + 1, N], "float32")
    i, j = tl.TileLoop([M, N], [8, 8])
    Y[i, j].store(X[i, j].load() + X[0, -1].load())

kernel = tl.CompileKernel(parts, M=3, N=4)
"""
INNER = """
def inner(M, N, K):
    A = tl.InputTensor("A", [M, N], "float32")
    B = tl.InputTensor("B", [N, K], "float32")
    Y = tl.OutputTensor("Y", [M], "float32")
    i, j, k = tl.TileLoop([M, N, K], [8, 8, 8])
    Y[i].store(A[i, j].load() * tl.max(B[j, k].load(), axis=k))

kernel = tl.CompileKernel(inner)
"""
NESTED = """
def nested(M, N):
    A = tl.InputTensor("A", [M, N], "float32")
    Y = tl.OutputTensor("Y", [1], "float32")
    one, i, j = tl.TileLoop([1, M, N], [1, 8, 8])
    a = A[i, j].load()
    Y[one].store(a * tl.sum(a, axis=0) * tl.sum(a, axis=1))

kernel = tl.CompileKernel(nested)
"""
TWICE = """
def twice(M, N):
    A = tl.InputTensor("A", [M, N], "float32")
    Y = tl.OutputTensor("Y", [M, N], "float32")
    i, j = tl.TileLoop([M, N], [8, 8])
    Y[i, j].store(A[i, j].load())
    Y[i, 0].store(A[i, 1].load() * 4.0)
    Y[0, 0].store(9)

kernel = tl.CompileKernel(twice, M=3, N=4)
"""


def draw(*shape: int, dtype: str = "f4", seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


CASES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "gemm": (GEMM, (draw(5, 9, dtype="f2"), draw(9, 7, dtype="f2"))),
    "gemm of nothing": (GEMM, (draw(5, 0, dtype="f2"), draw(0, 7, dtype="f2"))),
    "epilogue": (EPILOGUE, (draw(4, 6), draw(6, 3), draw(3))),
    "softmax": (SOFTMAX, (draw(3, 8),)),
    "columns": (COLUMNS, (abs(draw(3, 8)),)),
    "cross": (CROSS, (abs(draw(3, 8)),)),
    "batched": (BATCHED, (draw(2, 3, 4, dtype="f2"), draw(2, 4, 5, dtype="f2"))),
    "attention": (ATTENTION, tuple(draw(2, n, 4, dtype="f2", seed=n) for n in (3, 5, 5))),
    "summed": (SUMMED, (draw(3, 4, 5, dtype="f2"), draw(3))),
    "spread": (SPREAD, (draw(6),)),
    "parts": (PARTS, (draw(3, 9),)),
    "inner": (INNER, (draw(3, 4), draw(4, 5))),
    "nested": (NESTED, (abs(draw(3, 4)),)),
    "twice": (TWICE, (draw(3, 4),)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_nest_gives_what_the_kernel_gives(name: str) -> None:
    text, arrays = CASES[name]
    expected, got = both(text, *arrays)
    assert expected.keys() == got.keys()
    for output, value in expected.items():
        assert got[output].dtype == value.dtype and got[output].shape == value.shape
        loose = 2e-3 if value.dtype == np.float16 else 2e-6
        np.testing.assert_allclose(got[output].astype("f8"), value.astype("f8"), rtol=loose, atol=loose)
