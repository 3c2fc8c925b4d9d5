# expect: TL125 at 14:9-18:24
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def pick(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        match S[i]:
            case 0:
                Y[i] = 1
            case _:
                Y[i] = 2
