# expect: TL320 at 9:16-9:26
from tl2hip import Tensor, bf16, dims, f16, kernel

M, N = dims("M N")

@kernel
def f(x: Tensor[bf16, N], y: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = x[i] + y[i]
