"""The matrix product, tile by tile."""

from tl2hip import Tensor, dims, f16, f32, kernel, stages, tile, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    """C = A @ B, a tile of C at a time."""
    for i in tile.range(M, 128, waves(2)):
        for j in tile.range(N, 128, waves(2)):
            acc = tile.zeros(i, j, dtype=f32)
            for k in tile.range(K, 64, stages(2)):
                acc += tile.dot(A[i, k], B[k, j])
            C[i, j] = acc
