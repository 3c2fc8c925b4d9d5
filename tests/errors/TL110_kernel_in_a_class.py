# expect: TL110 at 13:5-13:14
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
class Ops:
    @kernel
    def double(self, X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
        for i in range(N):
            Y[i] = X[i] * self.factor
