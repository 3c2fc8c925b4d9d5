"""A sparse matrix, stored by rows (CSR), times a vector."""

from tl2hip import Tensor, dims, f32, i32, kernel

M, N, NNZ = dims("M N NNZ")


@kernel
def spmv(
    start: Tensor[i32, M + 1],
    column: Tensor[i32, NNZ],
    value: Tensor[f32, NNZ],
    x: Tensor[f32, N],
    y: Tensor[f32, M],
) -> None:
    """y = A @ x; row i of A holds value[p] in column[p], p from start[i] up to start[i + 1]."""
    for i in range(M):
        s = f32(0)
        for p in range(start[i], start[i + 1]):
            s += value[p] * x[column[p]]
        y[i] = s
