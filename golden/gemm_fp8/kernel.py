"""A product of 8-bit floats with a scale for each row of both factors."""

from tl2hip import Tensor, Tile, bf16, dims, f8e4m3, f32, kernel, waves

M, N, K = dims("M N K")


@kernel
def gemm_fp8(
    A: Tensor[f8e4m3, M, K],
    B: Tensor[f8e4m3, N, K],
    scale_A: Tensor[f32, M],
    scale_B: Tensor[f32, N],
    C: Tensor[bf16, M, N],
) -> None:
    """C = (A @ B.T) * scale_A[:, None] * scale_B[None, :]."""
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 128]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = bf16(s * scale_A[i] * scale_B[j])
