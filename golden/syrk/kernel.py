"""The symmetric rank-k update of BLAS; only the lower triangle is touched."""

from tl2hip import Tensor, dims, f32, kernel

N, K = dims("N K")


@kernel
def syrk(alpha: f32, beta: f32, A: Tensor[f32, N, K], C: Tensor[f32, N, N]) -> None:
    """C = alpha * A @ A.T + beta * C where j <= i."""
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(K):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]
