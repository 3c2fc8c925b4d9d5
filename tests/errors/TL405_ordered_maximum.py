# expect: TL405 at 11:9-11:24
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def least(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:
    m = x[0]
    for i in range(N):
        m = min(x[i], m)
    y[0] = m
