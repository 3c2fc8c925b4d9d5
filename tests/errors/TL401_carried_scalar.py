# expect: TL401 at 11:9-11:31
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def low_pass(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s = s * f32(0.9) + x[i]
        y[i] = s
