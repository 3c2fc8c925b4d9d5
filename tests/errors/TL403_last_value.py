# expect: TL403 at 10:5-11:16
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def last(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:
    t = f32(0)
    for i in range(N):
        t = x[i]
    y[0] = t
