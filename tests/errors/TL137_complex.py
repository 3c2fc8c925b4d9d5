# expect: TL137 at 14:23-14:24
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def spiral(C: Tensor[f32, N, 2], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        z = C[i, 0] + 1j * C[i, 1]
        Y[i] = abs(z)
