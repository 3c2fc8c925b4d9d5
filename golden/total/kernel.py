"""The sum of a whole matrix."""

from tl2hip import Tensor, f32, kernel


@kernel
def total(X: Tensor[f32, :, :], out: Tensor[f32, 1]) -> None:
    """out[0] is the sum over all of X."""
    rows, columns = X.shape
    s = f32(0)
    for i in range(rows):
        for j in range(columns):
            s += X[i, j]
    out[0] = s
