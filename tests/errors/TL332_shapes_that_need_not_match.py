# expect: TL332 at 13:5-13:12
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, M], y: Tensor[f32, N]) -> None:
    y[:] = x
