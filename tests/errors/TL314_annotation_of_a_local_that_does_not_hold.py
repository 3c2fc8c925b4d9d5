# expect: TL314 at 13:8-13:10
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s: f32 = 0.0
    for i in range(N):
        s += x[i]
    y[0] = s
