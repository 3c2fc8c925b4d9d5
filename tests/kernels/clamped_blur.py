"""A blur whose window stops at the picture's edge, with a small helper function."""

from tl2hip import Tensor, dims, f32, kernel

H, W = dims("H W")


def clamp(x: int, last: int) -> int:
    """x, held within 0 and last."""
    return 0 if x < 0 else last if x > last else x


@kernel
def clamped_blur(x: Tensor[f32, H, W], y: Tensor[f32, H, W], radius: int) -> None:
    """y is the mean over a square of each point's neighbours, the edge's own values repeated beyond it."""
    for i in range(H):
        for j in range(W):
            s = f32(0)
            for a in range(-radius, radius + 1):
                for b in range(-radius, radius + 1):
                    s += x[clamp(i + a, H - 1), clamp(j + b, W - 1)]
            y[i, j] = s / (2 * radius + 1) ** 2
