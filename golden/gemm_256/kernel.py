from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

M, N, K = dims("M N K")


@kernel
def gemm_256(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f16, M, N]) -> None:
    """C = A @ B.T in tiles so large that a block has a compute unit to itself."""
    i: Tile[int, 256, waves(2)]
    j: Tile[int, 256, waves(4)]
    k: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = f16(s)
