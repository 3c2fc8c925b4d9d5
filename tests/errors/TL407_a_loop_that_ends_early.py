# expect: TL407 at 11:13-11:17
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def until_negative(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        if x[i] < 0:
            break
        y[i] = x[i]
