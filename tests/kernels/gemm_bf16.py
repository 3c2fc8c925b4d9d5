"""The matrix product of bf16 matrices, rounded back to bf16."""

from tl2hip import Tensor, Tile, bf16, dims, f32, kernel

M, N, K = dims("M N K")


@kernel
def gemm_bf16(A: Tensor[bf16, M, K], B: Tensor[bf16, N, K], C: Tensor[bf16, M, N]) -> None:
    """C = A @ B.T, summed in f32."""
    i: Tile[int, 64]
    j: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s = s + f32(A[i, k]) * f32(B[j, k])
            C[i, j] = bf16(s)
