import numpy as np


def gemv(A, x, y):
    """y = A @ x."""
    M = A.shape[0]
    N = A.shape[1]
    for i in range(M):
        # y[i] = 0
        y[i] = np.float32(0.0)
        for j in range(N):
            # y[i] += A[i][j] * x[j]
            y[i] += A[i, j] * x[j]
