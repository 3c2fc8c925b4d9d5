# expect: TL131 at 13:15-13:45
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def norms(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    squares = [X[i] * X[i] for i in range(N)]
    for i in range(N):
        Y[i] = squares[i]
