import numpy as np


def add(a, b, out):
    """out = a + b."""
    N = a.shape[0]
    for i in range(N):  # tile: 1024
        out[i] = a[i] + b[i]
