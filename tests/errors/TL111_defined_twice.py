# expect: TL111 at 17:1-17:9
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 2

@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 3
