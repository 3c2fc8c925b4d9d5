"""Products of matrices."""

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, kernel, tile

B, M, N, K, L = dims("B M N K L")


@kernel
def matrix_multiply(A: Tensor[f32, M, K], B: Tensor[f32, K, N]):
    """A @ B as a list of rows."""
    out = []
    for i in range(M):
        row = []
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += A[i][k] * B[k][j]
            row.append(s)  # TL341
        out.append(row)  # TL341
    return out


@kernel
def matrix_multiply_array(A: Tensor[f32, M, K], B: Tensor[f32, K, N]) -> NDArray[np.float32]:
    """A @ B as an array."""
    out = np.zeros((M, N), dtype=np.float32)
    for i in range(M):
        for j in range(N):
            for k in range(K):
                out[i][j] += A[i][k] * B[k][j]
    return out


@kernel
def flat_matvec(xout: Tensor[f32, N], x: Tensor[f32, M], w: Tensor[f32, N * M], n: int, d: int) -> None:
    """xout = w @ x, w flat."""
    assert n == M and d == N
    for i in range(d):
        val = f32(0)
        for j in range(n):
            val += w[i * n + j] * x[j]
        xout[i] = val


@kernel
def square(A: Tensor[f32, N, N], B: Tensor[f32, N, N]) -> NDArray[np.float32]:
    """A @ B of square matrices."""
    return A @ B


@kernel
def batched(A: Tensor[f32, B, M, K], W: Tensor[f32, B, K, N], C: Tensor[f32, B, M, N]) -> None:
    """C[b] = A[b] @ W[b]."""
    for b in range(B):
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += A[b, i, k] * W[b, k, j]
                C[b, i, j] = s


@kernel
def tall_skinny(A: Tensor[f32, M, 16], B: Tensor[f32, 16, M], C: Tensor[f32, M, M]) -> None:
    """C = A @ B with an inner extent of 16."""
    for i in range(M):
        for j in range(M):
            C[i, j] = A[i, :] @ B[:, j]


@kernel
def diagonal(d: Tensor[f32, N], B: Tensor[f32, N, M], C: Tensor[f32, N, M]) -> None:
    """C = diag(d) @ B."""
    for i in range(N):
        C[i, :] = d[i] * B[i, :]


@kernel
def upper_triangular(A: Tensor[f32, N, N], B: Tensor[f32, N, N], C: Tensor[f32, N, N]) -> None:
    """C = A @ B of upper triangular matrices; the result's lower part is zero."""
    for i in range(N):
        for j in range(N):
            s = f32(0)
            for k in range(i, j + 1):
                s += A[i, k] * B[k, j]
            C[i, j] = s


@kernel
def lower_triangular(A: Tensor[f32, N, N], B: Tensor[f32, N, N], C: Tensor[f32, N, N]) -> None:
    """C = A @ B of lower triangular matrices; nothing is stored above the diagonal."""
    for i in range(N):
        for j in range(i + 1):
            s = f32(0)
            for k in range(j, i + 1):
                s += A[i, k] * B[k, j]
            C[i, j] = s


@kernel
def transposed_both(A: Tensor[f32, K, M], B: Tensor[f32, N, K], C: Tensor[f32, M, N]) -> None:
    """C = A.T @ B.T."""
    for i in range(M):
        for j in range(N):
            C[i, j] = 0
            for k in range(K):
                C[i, j] += A[k, i] * B[j, k]


@kernel
def four_axes(A: Tensor[f32, B, M, N, K], W: Tensor[f32, K, L], C: Tensor[f32, B, M, N, L]) -> None:
    """The last axis of A times W."""
    for b in range(B):
        for i in range(M):
            for j in range(N):
                for n in range(L):
                    s = f32(0)
                    for k in range(K):
                        s += A[b, i, j, k] * W[k, n]
                    C[b, i, j, n] = s


@kernel
def bmm_tiles(A: Tensor[f32, B, M, K], W: Tensor[f32, B, K, N], C: Tensor[f32, B, M, N]) -> None:
    """C[b] = A[b] @ W[b], tile by tile."""
    for b in range(B):
        for i in tile.range(M, 32):
            for j in tile.range(N, 32):
                acc = tile.zeros(i, j, dtype=f32)
                for k in tile.range(K, 32):
                    acc += tile.dot(A[b, i, k], W[b, k, j])
                C[b, i, j] = acc


@kernel
def broadcast_matmul(A: Tensor[f32, B, M, K], W: Tensor[f32, K, N], C: Tensor[f32, B, M, N]) -> None:
    """C[b] = A[b] @ W, one W for all b."""
    for b in range(B):
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += A[b, i, k] * W[k, j]
                C[b, i, j] = s


@kernel
def split_k(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    """C += A @ B, k cut into four parts that each add to C."""
    part = (K + 3) // 4
    for p in range(4):
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(p * part, min(K, (p + 1) * part)):
                    s += A[i, k] * B[k, j]
                C[i, j] += s


@kernel
def sgemm(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    """C += A @ B, k outside."""
    for k in range(K):
        for i in range(M):
            for j in range(N):
                C[i, j] += A[i, k] * B[k, j]
