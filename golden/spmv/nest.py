import numpy as np


def spmv(start, column, value, x, y):
    """y = A @ x; row i of A holds value[p] in column[p], p from start[i] up to start[i + 1]."""
    M = start.shape[0] - 1
    for i in range(M):
        # s = f32(0)
        s = np.float32(0.0)
        # for p in range(start[i], start[i + 1]):
        for p in range(np.int64(start[i]), np.int64(start[i + 1])):
            # s += value[p] * x[column[p]]
            s = s + value[p] * x[np.int64(column[p])]
        y[i] = s
