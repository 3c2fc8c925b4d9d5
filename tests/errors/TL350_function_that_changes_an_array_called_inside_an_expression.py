# expect: TL350 at 19:28-19:37
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
def bump(a, i):
    a[i] += 1
    return a[i]


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 10 + bump(x, i)
