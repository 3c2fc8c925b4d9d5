import numpy as np


def syrk(alpha, beta, A, C):
    """C = alpha * A @ A.T + beta * C where j <= i."""
    N = A.shape[0]
    K = A.shape[1]
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(K):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]
