"""Distances between two sets of points, in a new array."""

import math

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, kernel

M, N, D = dims("M N D")


@kernel
def pairwise(X: Tensor[f32, M, D], Y: Tensor[f32, N, D]) -> NDArray[np.float32]:
    """The Euclidean distance of each point of X to each point of Y, as an M by N array."""
    distance = np.empty((M, N), dtype=np.float32)
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for d in range(D):
                s += (X[i, d] - Y[j, d]) ** 2
            distance[i, j] = math.sqrt(s)
    return distance
