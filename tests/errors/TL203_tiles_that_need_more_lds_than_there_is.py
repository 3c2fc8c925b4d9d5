# expect: TL203 at 10:23-10:31
from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages

M, N, K = dims("M N K")

@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 128]
    j: Tile[int, 128]
    k: Tile[int, 128, stages(3)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
