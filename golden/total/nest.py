import numpy as np


def total(X, out):
    """out[0] is the sum over all of X."""
    X_0 = X.shape[0]
    X_1 = X.shape[1]
    # s = f32(0)
    s = np.float32(0.0)
    # for i in range(rows):
    for i in range(X_0):
        # for j in range(columns):
        for j in range(X_1):
            # s += X[i, j]
            s = s + X[i, j]
    out[0] = s
