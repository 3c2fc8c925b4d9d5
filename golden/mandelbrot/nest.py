import numpy as np


def mandelbrot(left, top, step, limit, count):
    """count[r, c] is the number of steps until |z| passes 2, at most limit."""
    H = count.shape[0]
    W = count.shape[1]
    for r in range(H):
        for c in range(W):
            # a = left + c * step
            a = left + np.float32(c) * step
            # b = top - r * step
            b = top - np.float32(r) * step
            # x = f32(0)
            x = np.float32(0.0)
            # y = f32(0)
            y = np.float32(0.0)
            n = 0
            # while n < limit and x * x + y * y <= 4:
            while n < limit and x * x + y * y <= np.float32(4.0):
                # x, y = x * x - y * y + a, 2 * x * y + b
                next = np.float32(2.0) * x * y + b
                x = x * x - y * y + a
                y = next
                # n += 1
                n = n + 1
            count[r, c] = np.int64(n).astype(np.int32)
