import numpy as np


def gemm(A, B, C):
    """C = A @ B, a tile of C at a time."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[1]
    # for i in tile.range(M, 128, waves(2)):
    for i in range(M):  # tile: 128, waves(2)
        # for j in tile.range(N, 128, waves(2)):
        for j in range(N):  # tile: 128, waves(2)
            # acc = tile.zeros(i, j, dtype=f32)
            acc = np.float32(0.0)
            # for k in tile.range(K, 64, stages(2)):
            for k in range(K):  # tile: 64, stages(2)
                # acc += tile.dot(A[i, k], B[k, j])
                acc = acc + np.float32(A[i, k]) * np.float32(B[k, j])
            C[i, j] = acc
