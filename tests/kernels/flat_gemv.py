"""A matrix times a vector, the matrix kept as one flat array."""

from tl2hip import Tensor, dims, f32, kernel

M, N, MN = dims("M N MN")


@kernel
def flat_gemv(w: Tensor[f32, MN], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    """y[i] is the sum over j of w[i * N + j] * x[j]."""
    assert MN == M * N
    for i in range(M):
        value = f32(0)
        for j in range(N):
            value += w[i * N + j] * x[j]
        y[i] = value
