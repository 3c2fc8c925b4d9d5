import numpy as np


def two_mm(alpha, beta, A, B, C, D):
    """D = alpha * A @ B @ C + beta * D."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[1]
    L = C.shape[1]
    # T = np.zeros((M, N), dtype=np.float32)
    T = np.empty((M, N), np.float32)
    for m in range(M):
        for n in range(N):
            T[m, n] = np.float32(0.0)
    for i in range(M):
        for j in range(N):
            for k in range(K):
                T[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(M):
        for j in range(L):
            D[i, j] *= beta
            for k in range(N):
                D[i, j] += T[i, k] * C[k, j]
