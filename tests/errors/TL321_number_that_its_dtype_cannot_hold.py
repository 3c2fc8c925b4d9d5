# expect: TL321 at 9:9-9:18
from tl2hip import Tensor, dims, kernel, u8

M, N = dims("M N")

@kernel
def f(x: Tensor[u8, N]) -> None:
    for i in range(N):
        x[i] = 300
