# expect: TL402 at 11:13-11:75
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def seidel(A: Tensor[f32, N, N]) -> None:
    for i in range(1, N - 1):
        for j in range(1, N - 1):
            A[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
