# expect: TL404 at 10:9-10:26
from tl2hip import Tensor, dims, f32, i32, kernel

M, N = dims("M N")


@kernel
def scatter(index: Tensor[i32, M], x: Tensor[f32, M], y: Tensor[f32, N]) -> None:
    for i in range(M):
        y[index[i]] = x[i]
