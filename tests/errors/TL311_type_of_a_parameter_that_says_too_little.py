# expect: TL311 at 12:10-12:13
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: list, y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
