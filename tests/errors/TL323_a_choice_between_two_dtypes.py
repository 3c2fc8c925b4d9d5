# expect: TL323 at 14:16-14:30
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f16, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = max(x[i], y[i])
