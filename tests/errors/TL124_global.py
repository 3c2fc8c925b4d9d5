# expect: TL124 at 15:5-15:16
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
count = 0

@kernel
def positives(X: Tensor[f32, N]) -> None:
    global count
    for i in range(N):
        if X[i] > 0:
            count += 1
