"""The kinds and proofs of kernels as users write them, from source."""

from __future__ import annotations

import pytest

from tests.notation.loading import kernel_file
from tl2hip.nest.bounds import prove
from tl2hip.nest.build import BuildOptions, build
from tl2hip.nest.check import verify
from tl2hip.nest.dependence import Analysis, analyse, in_place_ok
from tl2hip.nest.inline import forward
from tl2hip.nest.ir import Load, Nest, Store, Update
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs
from tl2hip.source.problems.base import Report
from tl2hip.source.read import find, read
from tl2hip.source.span import Source


def nest_of(text: str) -> Nest:
    report = Report(Source("kernel.py", text))
    module = read(report.source, report)
    (name,) = module.kernels
    function = find(module, name)
    assert function is not None
    nest = build(function, module, report, BuildOptions())
    assert nest is not None, [p.text for p in report.problems]
    verify(nest)
    nest = prove(forward(nest))
    verify(nest)
    return nest


def kinds(analysis: Analysis) -> str:
    """The kinds of all axes in the order of the text, one letter each; R for a reduction by updates."""
    return "".join("R" if k.updates else k.kind[0] for k in analysis.kinds.values())


def unproven(nest: Nest) -> set[str]:
    """The arrays that some access of which needs a guard."""
    out = set()
    for s in all_stmts(nest.body):
        out |= {p.array for e in own_exprs(s) for p in all_parts(e) if isinstance(p, Load) and not p.proven}
        if isinstance(s, Store | Update) and not s.proven:
            out.add(s.array)
    return out


GOLDENS = {
    "add": ("p", set()),
    "argmax": ("pr", set()),
    "attention_naive": ("ppprrrpr", set()),
    "black_scholes": ("p", set()),
    "gemm": ("ppr", set()),
    "gemv": ("pR", set()),
    "histogram": ("R", set()),
    "jacobi": ("pp", set()),
    "jacobi_time": ("spppp", set()),
    "mandelbrot": ("pp", set()),
    "pairwise": ("ppr", set()),
    "paged_gather": ("ppp", {"table", "cache"}),
    "softmax": ("prrp", set()),
    "spmv": ("pr", {"value", "x", "column"}),
    "swiglu": ("pp", set()),
    "syrk": ("ppRp", set()),
    "total": ("rr", set()),
    "transpose": ("pp", set()),
    "two_mm": ("ppppRppR", set()),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_goldens(name: str) -> None:
    nest = nest_of(kernel_file(name).read_text(encoding="utf-8"))
    assert (kinds(analyse(nest)), unproven(nest)) == GOLDENS[name]


def test_goldens_in_place() -> None:
    softmax = nest_of(kernel_file("softmax").read_text(encoding="utf-8"))
    arrays = [a.name for a in softmax.arrays]
    assert len(arrays) == 2 and in_place_ok(softmax, arrays[1], arrays[0])
    transpose = nest_of(kernel_file("transpose").read_text(encoding="utf-8"))
    arrays = [a.name for a in transpose.arrays]
    assert len(arrays) == 2 and not in_place_ok(transpose, arrays[1], arrays[0])


HEADER = """import math
import numpy as np
from tl2hip import Tensor, dims, f32, i32, kernel
M, N, K, H, W, FH, FW = dims("M N K H W FH FW")
@kernel
"""

KERNELS = {
    "trmm": (
        """def k(A: Tensor[f32, M, M], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            for k in range(i + 1, M):
                B[i, j] += A[k, i] * B[k, j]
""",
        "sps",
        set(),
    ),
    "bicg": (
        """def k(
    A: Tensor[f32, M, N], p: Tensor[f32, N], r: Tensor[f32, M], q: Tensor[f32, M], s: Tensor[f32, N]
) -> None:
    for i in range(M):
        q[i] = 0
        for j in range(N):
            s[j] = s[j] + r[i] * A[i, j]
            q[i] = q[i] + A[i, j] * p[j]
""",
        "RR",
        set(),
    ),
    "rope": (
        """def k(x: Tensor[f32, N], c: Tensor[f32, N // 2], s: Tensor[f32, N // 2]) -> None:
    for i in range(0, N - 1, 2):
        a, b = x[i], x[i + 1]
        x[i] = a * c[i // 2] - b * s[i // 2]
        x[i + 1] = a * s[i // 2] + b * c[i // 2]
""",
        "p",
        set(),
    ),
    "convolution": (
        """def k(X: Tensor[f32, H, W], F: Tensor[f32, FH, FW], Y: Tensor[f32, H - FH + 1, W - FW + 1]) -> None:
    for i in range(H - FH + 1):
        for j in range(W - FW + 1):
            s = f32(0)
            for u in range(FH):
                for v in range(FW):
                    s += X[i + u, j + v] * F[u, v]
            Y[i, j] = s
""",
        "pprr",
        set(),
    ),
    "convolution with a clamp": (
        """def k(X: Tensor[f32, H, W], Y: Tensor[f32, H, W]) -> None:
    for i in range(H):
        for j in range(W):
            s = f32(0)
            for u in range(-1, 2):
                for v in range(-1, 2):
                    s += X[min(max(i + u, 0), H - 1), min(max(j + v, 0), W - 1)]
            Y[i, j] = s
""",
        "pprr",
        set(),
    ),
    "flat gemv": (
        """def k(w: Tensor[f32, N * M], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        val = f32(0)
        for j in range(N):
            val += w[i * N + j] * x[j]
        y[i] = val
""",
        "pr",
        set(),
    ),
    "transpose in place": (
        """def k(A: Tensor[f32, N, N]) -> None:
    for i in range(N):
        for j in range(i):
            A[i, j], A[j, i] = A[j, i], A[i, j]
""",
        "pp",
        set(),
    ),
    "doitgen": (
        """def k(A: Tensor[f32, M, N, K], C: Tensor[f32, K, K]) -> None:
    for r in range(M):
        for q in range(N):
            t = np.zeros(K, dtype=np.float32)
            for p in range(K):
                for s in range(K):
                    t[p] += A[r, q, s] * C[s, p]
            for p in range(K):
                A[r, q, p] = t[p]
""",
        "ppppRp",
        set(),
    ),
    "both sweeps of adi": (
        """def k(u: Tensor[f32, N, N], p: Tensor[f32, N, N]) -> None:
    for i in range(1, N - 1):
        p[i, 0] = 1
        for j in range(1, N - 1):
            p[i, j] = p[i, j - 1] * u[i, j]
        for j in range(N - 2, 0, -1):
            u[i, j] = p[i, j] * u[i, j + 1]
""",
        "pss",
        set(),
    ),
    "game of life": (
        """def k(g: Tensor[i32, H, W], o: Tensor[i32, H, W]) -> None:
    for i in range(H):
        for j in range(W):
            o[i, j] = g[(i + 1) % H, j] + g[(i - 1) % H, j] + g[i, (j + W - 1) % W]
""",
        "pp",
        set(),
    ),
    "groups of a row": (
        """def k(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for g in range(0, N, 128):
            m = f32(0)
            for j in range(g, min(g + 128, N)):
                m = max(m, abs(x[i, j]))
            for j in range(g, min(g + 128, N)):
                y[i, j] = x[i, j] / m
""",
        "pprp",
        set(),
    ),
    "a difference": (
        """def k(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    for i in range(M):
        s = f32(1)
        for j in range(N):
            s -= x[i, j]
        y[i] = s
""",
        "pr",
        set(),
    ),
    "azimuthal histogram": (
        """def k(bin: Tensor[i32, N], w: Tensor[f32, N], hist: Tensor[f32, M]) -> None:
    for i in range(N):
        hist[bin[i]] += w[i]
""",
        "R",
        {"hist"},
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    text, want, guarded = KERNELS[name]
    nest = nest_of(HEADER + text)
    assert (kinds(analyse(nest)), unproven(nest)) == (want, guarded)
