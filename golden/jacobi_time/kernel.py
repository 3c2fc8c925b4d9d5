"""Jacobi's iteration over time, two arrays taking turns."""

from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def jacobi_time(steps: int, A: Tensor[f32, N, N], B: Tensor[f32, N, N]) -> None:
    """Runs 2 * steps steps: from A to B, then from B back to A."""
    for _ in range(steps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j])
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j])
