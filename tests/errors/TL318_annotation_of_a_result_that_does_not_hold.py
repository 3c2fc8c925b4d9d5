# expect: TL318 at 12:29-12:42
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
@kernel
def f(x: Tensor[f32, N]) -> Tensor[f16, N]:
    return x + 1
