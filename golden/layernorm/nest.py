import numpy as np


def layernorm(X, weight, bias, Y, eps):
    """Each row of X less its mean, over its standard deviation, times weight, plus bias."""
    T = X.shape[0]
    D = X.shape[1]
    for t in range(T):
        # mean = X[t, :].mean()
        total = np.float32(0.0)
        for d in range(D):
            total = total + X[t, d]
        mean = total / np.float32(D)
        # variance = (centred * centred).mean()
        total_2 = np.float32(0.0)
        for d_3 in range(D):
            total_2 = total_2 + np.float32(X[t, d_3] - mean) * np.float32(X[t, d_3] - mean)
        variance = total_2 / np.float32(D)
        # Y[t, :] = centred / np.sqrt(variance + eps) * weight + bias
        value = np.sqrt(variance + eps)
        for d_4 in range(D):
            Y[t, d_4] = np.float32(X[t, d_4] - mean) / value * weight[d_4] + bias[d_4]
