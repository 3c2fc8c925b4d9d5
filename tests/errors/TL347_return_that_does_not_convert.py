# expect: TL347 at 14:9-14:26
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, N]) -> object:
    if N > 5:
        return x[0] + x[1]
