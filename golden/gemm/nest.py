import numpy as np


def gemm(A, B, C):
    """C = A @ B, the loops as everybody first writes them."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[1]
    for i in range(M):  # tile: 128, waves(2)
        for j in range(N):  # tile: 128, waves(2)
            # s = f32(0)
            s = np.float32(0.0)
            for k in range(K):  # tile: 64, stages(2)
                # s += f32(A[i, k]) * f32(B[k, j])
                s = s + np.float32(A[i, k]) * np.float32(B[k, j])
            C[i, j] = s
