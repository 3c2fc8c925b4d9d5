# expect: TL101 at 8:22-8:22
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")

@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N)
        Y[i] = X[i] * 2
