# expect: TL133 at 13:17-13:69
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def total(X: Tensor[f32, M, N], Y: Tensor[f32, 1]) -> None:
    products = (X[i, j] * X[i, j] for i in range(M) for j in range(N))
    Y[0] = sum(products)
