# expect: TL214 at 7:25-7:34
from tl2hip import Tensor, dims, f32, kernel, lds

M, N = dims("M N")

@kernel
def f(x: Tensor[f32, N, lds(pad=8)], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
