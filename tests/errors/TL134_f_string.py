# expect: TL134 at 13:24-13:30
# expect: TL134 at 14:25-14:31
import math
from functools import cache

import numpy as np

import tl2hip as tl
from tl2hip import Tensor, dims, f16, f32, i32, kernel

M, N = dims("M N")
def double(M, block_m):
    X = tl.InputTensor(f"X{1}", [M], "float32")
    Y = tl.OutputTensor(f"Y{1}", [M], "float32")
    i = tl.TileLoop([M], [block_m])
    Y[i].store(X[i].load() * 2)
    return tl.CompileKernel(double)
