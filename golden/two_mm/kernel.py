"""Two matrix products in a row, the first one kept in a temporary."""

import numpy as np

from tl2hip import Tensor, dims, f32, kernel

M, N, K, L = dims("M N K L")


@kernel
def two_mm(
    alpha: f32,
    beta: f32,
    A: Tensor[f32, M, K],
    B: Tensor[f32, K, N],
    C: Tensor[f32, N, L],
    D: Tensor[f32, M, L],
) -> None:
    """D = alpha * A @ B @ C + beta * D."""
    T = np.zeros((M, N), dtype=np.float32)
    for i in range(M):
        for j in range(N):
            for k in range(K):
                T[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(M):
        for j in range(L):
            D[i, j] *= beta
            for k in range(N):
                D[i, j] += T[i, k] * C[k, j]
