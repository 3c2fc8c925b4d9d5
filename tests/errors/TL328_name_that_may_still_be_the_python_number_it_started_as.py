# expect: TL328 at 12:16-12:22
from tl2hip import Tensor, dims, i8, i32, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[i8, M, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        m = 5
        for j in range(N):
            m = max(m, x[i, j])
        y[i] = m * 100
