# expect: TL406 at 12:13-12:21
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def filled(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        if s < f32(100):
            s += x[i]
        y[i] = s
