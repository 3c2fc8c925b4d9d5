import numpy as np


def prefix_sum(x, y):
    N = x.shape[0]
    # s = f32(0)
    s = np.float32(0.0)
    for i in range(N):
        # s += x[i]
        s = s + x[i]
        y[i] = s
