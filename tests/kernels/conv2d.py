"""A two-dimensional convolution without padding."""

from tl2hip import Tensor, dims, f32, kernel

N, CI, CO, H, W, FH, FW = dims("N CI CO H W FH FW")


@kernel
def conv2d(
    x: Tensor[f32, N, CI, H, W],
    weight: Tensor[f32, CO, CI, FH, FW],
    y: Tensor[f32, N, CO, H - FH + 1, W - FW + 1],
) -> None:
    """y = x correlated with weight, where the window lies wholly inside."""
    for n in range(N):
        for o in range(CO):
            for i in range(H - FH + 1):
                for j in range(W - FW + 1):
                    s = f32(0)
                    for c in range(CI):
                        for a in range(FH):
                            for b in range(FW):
                                s += x[n, c, i + a, j + b] * weight[o, c, a, b]
                    y[n, o, i, j] = s
