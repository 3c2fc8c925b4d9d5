"""A matrix product with weights of four bits, two to a byte, each group of 128 with a scale of its own."""

from tl2hip import Tensor, dims, f16, f32, i32, kernel, u8

M, N, K = dims("M N K")


@kernel
def int4_gemm(
    A: Tensor[f16, M, K],
    B: Tensor[u8, K // 2, N],
    scale: Tensor[f16, K // 128, N],
    C: Tensor[f16, M, N],
) -> None:
    """C = A @ ((B - 8) * scale)."""
    assert K % 128 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                weight = ((i32(B[k // 2, j]) >> (k % 2 * 4)) & 15) - 8
                s += f32(A[i, k]) * f32(f16(weight) * scale[k // 128, j])
            C[i, j] = f16(s)
