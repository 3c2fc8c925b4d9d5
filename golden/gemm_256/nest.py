import numpy as np


def gemm_256(A, B, C):
    """C = A @ B.T in tiles so large that a block has a compute unit to itself."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[0]
    for i in range(M):  # tile: 256, waves(2)
        for j in range(N):  # tile: 256, waves(4)
            # s = f32(0)
            s = np.float32(0.0)
            for k in range(K):  # tile: 64
                # s += f32(A[i, k]) * f32(B[j, k])
                s = s + np.float32(A[i, k]) * np.float32(B[j, k])
            # C[i, j] = f16(s)
            C[i, j] = np.float16(s)
