# expect: TL210 at 7:25-7:37
from tl2hip import Tensor, dims, f32, kernel, strides

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N, strides(1, 2)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
