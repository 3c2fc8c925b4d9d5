# expect: TL211 at 4:1-4:18
from tl2hip import Tensor, dims, f32, kernel

M, N = dims("N M")

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
