"""The matrix product of small integers, exact in i32."""

from tl2hip import Tensor, dims, i8, i32, kernel

M, N, K = dims("M N K")


@kernel
def gemm_i8(A: Tensor[i8, M, K], B: Tensor[i8, K, N], C: Tensor[i32, M, N]) -> None:
    """C = A @ B, k outside and the sum in C itself."""
    for i in range(M):
        for j in range(N):
            C[i, j] = 0
    for k in range(K):
        for i in range(M):
            for j in range(N):
                C[i, j] += i32(A[i, k]) * i32(B[k, j])
