# expect: TL317 at 6:10-6:19
import numpy as np

from tl2hip import Tensor, dims, f32, kernel
(N,) = dims("N")
def f(x: np.ndarray, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
