import numpy as np


def int4_gemm(A, B, scale, C):
    """C = A @ ((B - 8) * scale)."""
    M = A.shape[0]
    K = A.shape[1]
    N = B.shape[1]
    assert K % 128 == 0
    for i in range(M):
        for j in range(N):
            # s = f32(0)
            s = np.float32(0.0)
            for k in range(K):
                # weight = ((i32(B[k // 2, j]) >> (k % 2 * 4)) & 15) - 8
                weight = (np.int64(B[k // 2, j]).astype(np.int32) >> np.int64(k % 2 * 4).astype(np.int32) & np.int32(15)) - np.int32(8)
                # s += f32(A[i, k]) * f32(f16(weight) * scale[k // 128, j])
                s = s + np.float32(A[i, k]) * np.float32(np.float16(weight) * scale[k // 128, j])
            # C[i, j] = f16(s)
            C[i, j] = np.float16(s)
