# expect: TL136 at 14:12-14:25
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def marked(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] in (2, 3):
            Y[i] = 1
