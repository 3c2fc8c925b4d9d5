# expect: TL106 at 12:15-12:29
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def double(X: "Tensor[f32, N", Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
