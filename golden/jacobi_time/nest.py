import numpy as np


def jacobi_time(steps, A, B):
    """Runs 2 * steps steps: from A to B, then from B back to A."""
    N = A.shape[0]
    for _ in range(steps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                # B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j])
                B[i, j] = np.float32(0.20000000298023224) * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                # A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j])
                A[i, j] = np.float32(0.20000000298023224) * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i - 1, j] + B[i + 1, j])
