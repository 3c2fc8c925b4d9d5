# expect: TL128 at 18:27-18:34
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
def line(x, a, b):
    return a * x + b

@kernel
def lines(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    weights = (2, 3)
    for i in range(N):
        Y[i] = line(X[i], *weights)
