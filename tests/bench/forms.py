"""Products whose factors are computed on their way, or whose loops become one: as a user writes them."""

from __future__ import annotations

from tests.bench.aims import Aim

INT4 = '''\
from tl2hip import Tensor, dims, f16, f32, i32, kernel, u8

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[u8, K // 2, N], x: Tensor[f16, K // 128, N], C: Tensor[f16, M, N]) -> None:
    """C = A @ ((B - 8) * x): weights of four bits, two to a byte, each group of 128 with a scale."""
    assert K % 128 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                w = ((i32(B[k // 2, j]) >> (k % 2 * 4)) & 15) - 8
                s += f32(A[i, k]) * f32(f16(w) * x[k // 128, j])
            C[i, j] = f16(s)
'''

CAST = '''\
from tl2hip import Tensor, dims, f16, f32, kernel

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f32, M, K], B: Tensor[f16, N, K], C: Tensor[f32, M, N]) -> None:
    """C = A @ B.T, A rounded to f16."""
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(f16(A[i, k])) * f32(B[j, k])
            C[i, j] = s
'''

CONVOLUTION = '''\
from tl2hip import Tensor, dims, f16, f32, kernel

B, H, W, O = dims("B H W O")


@kernel
def conv(X: Tensor[f16, B, H + 2, W + 2, 64], F: Tensor[f16, O, 3, 3, 64], Y: Tensor[f16, B, H, W, O]) -> None:
    """A convolution of 3 by 3 places, channels last."""
    for b in range(B):
        for h in range(H):
            for w in range(W):
                for o in range(O):
                    s = f32(0)
                    for r in range(3):
                        for q in range(3):
                            for c in range(64):
                                s += f32(X[b, h + r, w + q, c]) * f32(F[o, r, q, c])
                    Y[b, h, w, o] = f16(s)
'''

SWIGLU = '''\
import numpy as np

from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

M, N, K = dims("M N K")


@kernel
def swiglu(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f16, N, K], out: Tensor[f16, M, N]) -> None:
    """out = silu(A @ B.T) * (A @ C.T)."""
    i: Tile[int, 256, waves(2)]
    j: Tile[int, 128, waves(4)]
    k: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            g = f32(0)
            u = f32(0)
            for k in range(K):
                g += f32(A[i, k]) * f32(B[j, k])
                u += f32(A[i, k]) * f32(C[j, k])
            out[i, j] = f16(g / (f32(1) + np.exp(-g)) * u)
'''

TWO_RESULTS = '''\
from tl2hip import Tensor, Tile, bf16, dims, f32, kernel, waves

M, N, K = dims("M N K")


@kernel
def both(
    A: Tensor[bf16, M, K],
    B: Tensor[bf16, K, N],
    C: Tensor[bf16, K, N],
    X: Tensor[bf16, M, N],
    Y: Tensor[bf16, M, N],
) -> None:
    """X = A @ B and Y = A @ C."""
    i: Tile[int, 256, waves(2)]
    j: Tile[int, 128, waves(4)]
    k: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            x = f32(0)
            for k in range(K):
                x += f32(A[i, k]) * f32(B[k, j])
            X[i, j] = bf16(x)
            y = f32(0)
            for k in range(K):
                y += f32(A[i, k]) * f32(C[k, j])
            Y[i, j] = bf16(y)
'''

GROUPED = '''\
from tl2hip import Tensor, Tile, dims, f16, f32, i32, kernel, offsets, waves

T, M, N, K, G = dims("T M N K G")


@kernel
def grouped(
    {given}start: Tensor[i32, G + 1], A: Tensor[f16, {of}, K], W: Tensor[f16, G, N, K], C: Tensor[f32, M, N]
) -> None:
    """The rows of each group times its own weights."""
    assert offsets(start)
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64]
    for g in range(G):
        for i in range(start[g], start[g + 1]):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += f32(A[{at}, k]) * f32(W[g, j, k])
                C[i, j] = s
'''

BLOCKS = '''\
from tl2hip import Tensor, bf16, dims, f8e4m3, f32, kernel

M, N, K = dims("M N K")


@kernel
def scaled(
    A: Tensor[f8e4m3, M, K],
    B: Tensor[f8e4m3, N, K],
    x: Tensor[f32, M, K // 128],
    y: Tensor[f32, N // 128, K // 128],
    C: Tensor[bf16, M, N],
) -> None:
    """C = A @ B.T, every 128 elements of a row of A with a scale, and every 128 by 128 of B."""
    assert K % 128 == 0
    assert N % 128 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for b in range(K // 128):
                p = f32(0)
                for k in range(128):
                    p += f32(A[i, b * 128 + k]) * f32(B[j, b * 128 + k])
                s += p * (x[i, b] * y[j // 128, b])
            C[i, j] = bf16(s)
'''

CLEAN = (Aim("conflicts", 0), Aim("spills", 0), Aim("wide LDS", True, "only b128"))
DEQUANTISED = (Aim("VALU/MFMA", 0.5), Aim("MFMA share", 0.45, least=True), *CLEAN[:2])
"""Two nibbles an instruction, as gfx942.md 5 has it. Each pair takes four: a permutation, a mask, one for what the
bias and the shift make them more, and the scale. The share is missed: 0.41."""
CASTS = (Aim("VALU/MFMA", 0.5), Aim("MFMA share", 0.45, least=True), *CLEAN)
PLACES = (Aim("VALU/MFMA", 0.75), Aim("MFMA share", 0.40, least=True), *CLEAN)
SCALED = (Aim("VALU/MFMA", 0.75), *CLEAN)
"""One packed multiplication and addition for two sums and block, and a quarter more (gfx942.md 2.1); the compiler
takes some of these apart, which saves time beside matrix instructions."""
