"""One step of Jacobi's iteration on a plate."""

from tl2hip import Tensor, dims, f32, kernel

H, W = dims("H W")


@kernel
def jacobi(A: Tensor[f32, H, W], B: Tensor[f32, H, W]) -> None:
    """Each inner point of B is the mean of A's five; the border of B is left as it is."""
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
