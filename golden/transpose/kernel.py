"""A matrix, transposed."""

from tl2hip import Tensor, Tile, f32, kernel


@kernel
def transpose(A: Tensor[f32, :, :], B: Tensor[f32, :, :]) -> None:
    """B = A.T."""
    i: Tile[int, 64]
    j: Tile[int, 64]
    rows, columns = A.shape
    assert B.shape == (columns, rows)
    for i in range(rows):
        for j in range(columns):
            B[j, i] = A[i, j]
