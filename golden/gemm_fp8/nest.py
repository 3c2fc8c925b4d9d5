import ml_dtypes
import numpy as np


def gemm_fp8(A, B, scale_A, scale_B, C):
    """C = (A @ B.T) * scale_A[:, None] * scale_B[None, :]."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[0]
    for i in range(M):  # tile: 128, waves(2)
        for j in range(N):  # tile: 128, waves(2)
            # s = f32(0)
            s = np.float32(0.0)
            for k in range(K):  # tile: 128
                # s += f32(A[i, k]) * f32(B[j, k])
                s = s + np.float32(A[i, k]) * np.float32(B[j, k])
            # C[i, j] = bf16(s * scale_A[i] * scale_B[j])
            C[i, j] = ml_dtypes.bfloat16(s * scale_A[i] * scale_B[j])
