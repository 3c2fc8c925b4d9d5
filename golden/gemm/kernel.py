"""The matrix product, its loops as everybody first writes them."""

from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    """C = A @ B, the loops as everybody first writes them."""
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64, stages(2)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s
