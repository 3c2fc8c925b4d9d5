# expect: TL406 at 11:9-11:17
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def cumsum(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s
