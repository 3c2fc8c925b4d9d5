import numpy as np


def softmax(X, Y):
    """Each row of Y is softmax(row of X); the row's maximum is taken out first."""
    M = X.shape[0]
    N = X.shape[1]
    for i in range(M):  # tile: 1
        # m = f32(-math.inf)
        m = np.float32(-np.inf)
        for j in range(N):
            m = max(m, X[i, j])
        # total = f32(0)
        total = np.float32(0.0)
        for j in range(N):
            # Y[i, j] = math.exp(X[i, j] - m)
            Y[i, j] = np.exp(X[i, j] - m)
            # total += Y[i, j]
            total = total + Y[i, j]
        for j in range(N):
            # Y[i, j] /= total
            Y[i, j] = Y[i, j] / total
