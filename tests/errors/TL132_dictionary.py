# expect: TL132 at 13:14-13:29
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def weigh(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    weight = {0: 0.5, 1: 2.0}
    for i in range(N):
        Y[i] = weight[S[i]]
