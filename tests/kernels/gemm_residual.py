"""The second half of a feed-forward layer: product, bias, residual, and the sum kept for later."""

from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages

T, D, H = dims("T D H")


@kernel
def gemm_residual(
    Y: Tensor[f16, T, H], W: Tensor[f16, H, D], bias: Tensor[f16, D], X: Tensor[f16, T, D], sums: Tensor[f32, D, T]
) -> None:
    """X += Y @ W + bias, and sums = (Y @ W + bias).T."""
    t: Tile[int, 64]
    d: Tile[int, 64]
    h: Tile[int, 64, stages(3)]
    for t in range(T):
        for d in range(D):
            s = f32(bias[d])
            for h in range(H):
                s += f32(Y[t, h]) * f32(W[h, d])
            sums[d, t] = s
            X[t, d] = f16(f32(X[t, d]) + s)
