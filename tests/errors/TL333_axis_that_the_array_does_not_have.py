# expect: TL333 at 13:23-13:23
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    y[:] = x.sum(axis=2)
