# expect: TL307 at 13:20-13:20
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, :], y: Tensor[f32, M]) -> None:
    for i in range(N):
        y[i] = x[i]
