"""How fast each point of the plane escapes."""

from tl2hip import Tensor, dims, f32, i32, kernel

H, W = dims("H W")


@kernel
def mandelbrot(left: f32, top: f32, step: f32, limit: int, count: Tensor[i32, H, W]) -> None:
    """count[r, c] is the number of steps until |z| passes 2, at most limit."""
    for r in range(H):
        for c in range(W):
            a = left + c * step
            b = top - r * step
            x = f32(0)
            y = f32(0)
            n = 0
            while n < limit and x * x + y * y <= 4:
                x, y = x * x - y * y + a, 2 * x * y + b
                n += 1
            count[r, c] = n
