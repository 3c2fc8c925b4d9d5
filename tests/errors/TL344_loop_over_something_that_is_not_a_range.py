# expect: TL344 at 13:14-13:14
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in N:
        y[i] = x[i]
