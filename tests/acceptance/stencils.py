"""Stencils, convolution, pooling."""

import math

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, i8, i32, kernel

B, C, Q, H, W, N, G, TIME = dims("B C Q H W N G TIME")


@kernel
def jacobi_1d(steps: int, A: Tensor[f32, N], B: Tensor[f32, N]) -> None:
    """Means of three, from A to B and back."""
    for _ in range(steps):
        for i in range(1, N - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, N - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])


@kernel
def jacobi_2d_slices(steps: int, A: Tensor[f32, N, N], B: Tensor[f32, N, N]) -> None:
    """Means of five, a whole plane a statement."""
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


@kernel
def heat_3d(steps: int, A: Tensor[f32, N, N, N], B: Tensor[f32, N, N, N]) -> None:
    """Heat in a box, from A to B and back."""
    for _ in range(steps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                for k in range(1, N - 1):
                    B[i][j][k] = (
                        0.125 * (A[i + 1][j][k] - 2 * A[i][j][k] + A[i - 1][j][k])
                        + 0.125 * (A[i][j + 1][k] - 2 * A[i][j][k] + A[i][j - 1][k])
                        + 0.125 * (A[i][j][k + 1] - 2 * A[i][j][k] + A[i][j][k - 1])
                        + A[i][j][k]
                    )
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                for k in range(1, N - 1):
                    A[i][j][k] = (
                        0.125 * (B[i + 1][j][k] - 2 * B[i][j][k] + B[i - 1][j][k])
                        + 0.125 * (B[i][j + 1][k] - 2 * B[i][j][k] + B[i][j - 1][k])
                        + 0.125 * (B[i][j][k + 1] - 2 * B[i][j][k] + B[i][j][k - 1])
                        + B[i][j][k]
                    )


@kernel
def fdtd_2d(ex: Tensor[f32, H, W], ey: Tensor[f32, H, W], hz: Tensor[f32, H, W], fict: Tensor[f32, TIME]) -> None:
    """Three fields in turn, a source on the first row of ey."""
    for t in range(TIME):
        for j in range(W):
            ey[0, j] = fict[t]
        for i in range(1, H):
            for j in range(W):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(H):
            for j in range(1, W):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(H - 1):
            for j in range(W - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@kernel
def seidel_2d(steps: int, A: Tensor[f32, N, N]) -> None:
    """Gauss-Seidel in place: each point uses neighbours of this sweep."""
    for _ in range(steps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = (  # TL404
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0


@kernel
def red_black(steps: int, A: Tensor[f32, N, N]) -> None:
    """Gauss-Seidel by colours: the points of one colour do not use each other."""
    for _ in range(steps):
        for colour in range(2):
            for i in range(1, N - 1):
                for j in range(1 + (i + colour) % 2, N - 1, 2):
                    A[i, j] = (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) * 0.25


@kernel
def adi(
    steps: int,
    u: Tensor[f32, N, N],
    v: Tensor[f32, N, N],
    p: Tensor[f32, N, N],
    q: Tensor[f32, N, N],
    a: f32,
    b: f32,
    d: f32,
) -> None:
    """Alternating directions: sweeps forward and backward along columns, then along rows."""
    for _ in range(steps):
        for i in range(1, N - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, N - 1):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                q[i, j] = (-d * u[j, i - 1] + (1 + 2 * d) * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (
                    a * p[i, j - 1] + b
                )
            v[N - 1, i] = 1.0
            for j in range(N - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, N - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, N - 1):
                p[i, j] = -d / (d * p[i, j - 1] + b)
                q[i, j] = (-a * v[i - 1, j] + (1 + 2 * a) * v[i, j] - a * v[i + 1, j] - d * q[i, j - 1]) / (
                    d * p[i, j - 1] + b
                )
            u[i, N - 1] = 1.0
            for j in range(N - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]


@kernel
def diffusion(u: Tensor[f32, H, W], t: Tensor[f32, H, W], dx2: f32, dy2: f32, dt: f32, steps: int) -> None:
    """Explicit diffusion with a second array."""
    for _ in range(steps):
        for i in range(1, H - 1):
            for j in range(1, W - 1):
                uxx = (u[i + 1, j] - 2 * u[i, j] + u[i - 1, j]) / dx2
                uyy = (u[i, j + 1] - 2 * u[i, j] + u[i, j - 1]) / dy2
                t[i, j] = u[i, j] + dt * (uxx + uyy)
        for i in range(1, H - 1):
            for j in range(1, W - 1):
                u[i, j] = t[i, j]


def clamp(v: int, low: int, high: int) -> int:
    """v, no less than low and below high."""
    if v < low:
        return low
    if v >= high:
        return high - 1
    return v


@kernel
def deuxd_convolution(image: Tensor[f32, H, W], weight: Tensor[f32, 5, 3]) -> NDArray[np.float32]:
    """A convolution that repeats the border."""
    out = np.zeros((H, W), dtype=np.float32)
    for i in range(H):
        for j in range(W):
            s = f32(0)
            for a in range(5):
                for b in range(3):
                    index = (clamp(i + a - 5 // 2, 0, H), clamp(j + b - 3 // 2, 0, W))
                    s += image[index] * weight[a, b]
            out[i, j] = s
    return out


@kernel
def deuxd_convolution_two(image: Tensor[f32, H, W], weight: Tensor[f32, 5, 3]) -> NDArray[np.float32]:
    """The same, both subscripts in the brackets."""
    out = np.zeros((H, W), dtype=np.float32)
    for i in range(H):
        for j in range(W):
            s = f32(0)
            for a in range(5):
                for b in range(3):
                    y, x = clamp(i + a - 5 // 2, 0, H), clamp(j + b - 3 // 2, 0, W)
                    s += image[y, x] * weight[a, b]
            out[i, j] = s
    return out


@kernel
def sobel(image: Tensor[f32, H, W], out: Tensor[f32, H, W]) -> None:
    """Edges by two masks, brought to 0 up to 1."""
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            x = (
                image[i - 1, j + 1]
                + 2 * image[i, j + 1]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i, j - 1]
                - image[i + 1, j - 1]
            )
            y = (
                image[i + 1, j - 1]
                + 2 * image[i + 1, j]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i - 1, j]
                - image[i - 1, j + 1]
            )
            out[i, j] = math.sqrt(x * x + y * y)
    low = f32(math.inf)
    high = f32(-math.inf)
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            low = min(low, out[i, j])
            high = max(high, out[i, j])
    for i in range(1, H - 1):
        for j in range(1, W - 1):
            out[i, j] = (out[i, j] - low) / (high - low + f32(1e-6))


@kernel
def laplace_slices(p: Tensor[f32, H, W], target: f32, limit: int) -> int:
    """Relaxed until the sum of changes is small, whole planes at a time."""
    change = target + f32(1)
    steps = 0
    while change > target and steps < limit:
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1])
        change = np.sum(np.abs(p - old))
        steps += 1
    return steps


@kernel
def convection(u: Tensor[f32, H, W], v: Tensor[f32, H, W], steps: int, c: f32) -> None:
    """Nonlinear convection of two fields by upwind differences."""
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        u[1:, 1:] = (
            un[1:, 1:] - un[1:, 1:] * c * (un[1:, 1:] - un[1:, :-1]) - vn[1:, 1:] * c * (un[1:, 1:] - un[:-1, 1:])
        )
        v[1:, 1:] = (
            vn[1:, 1:] - un[1:, 1:] * c * (vn[1:, 1:] - vn[1:, :-1]) - vn[1:, 1:] * c * (vn[1:, 1:] - vn[:-1, 1:])
        )
        u[0, :] = 1
        u[-1, :] = 1
        v[:, 0] = 1
        v[:, -1] = 1


@kernel
def pressure_poisson(p: Tensor[f32, H, W], b: Tensor[f32, H, W], steps: int, dx: f32, dy: f32) -> None:
    """Pressure of the cavity flow, walls by slices."""
    pn = np.empty((H, W), dtype=np.float32)
    for _ in range(steps):
        pn[:, :] = p
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2) / (
            2 * (dx**2 + dy**2)
        ) - b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@kernel
def blur(image: Tensor[f32, H + 2, W + 2], out: Tensor[f32, H, W]) -> None:
    """Means of three along rows, then along columns."""
    rows = np.empty((H + 2, W), dtype=np.float32)
    for y in range(H + 2):
        for x in range(W):
            rows[y, x] = (image[y, x] + image[y, x + 1] + image[y, x + 2]) / 3
    for y in range(H):
        for x in range(W):
            out[y, x] = (rows[y, x] + rows[y + 1, x] + rows[y + 2, x]) / 3


@kernel
def unsharp(image: Tensor[f32, 3, H, W], out: Tensor[f32, 3, H, W], amount: f32) -> None:
    """Each point pushed away from the mean of its neighbourhood in the grey picture."""
    grey = np.zeros((H, W), dtype=np.float32)
    for y in range(H):
        for x in range(W):
            grey[y, x] = 0.299 * image[0, y, x] + 0.587 * image[1, y, x] + 0.114 * image[2, y, x]
    for y in range(1, H - 1):
        for x in range(1, W - 1):
            mean = f32(0)
            for a in range(-1, 2):
                for b in range(-1, 2):
                    mean += grey[y + a, x + b]
            sharp = grey[y, x] + amount * (grey[y, x] - mean / 9)
            for c in range(3):
                out[c, y, x] = image[c, y, x] * (sharp / (grey[y, x] + f32(1e-3)))


@kernel
def life(board: Tensor[i8, H, W], new: Tensor[i8, H, W]) -> None:
    """One generation on a torus, each cell asking its neighbours."""
    for i in range(H):
        for j in range(W):
            n = 0
            for a in range(-1, 2):
                for b in range(-1, 2):
                    if a != 0 or b != 0:
                        n += board[(i + a) % H, (j + b) % W]
            new[i, j] = 1 if n == 3 or (n == 2 and board[i, j] == 1) else 0


@kernel
def life_scatter(board: Tensor[i8, H, W], count: Tensor[i32, H, W]) -> None:
    """The neighbours' counts, each living cell adding to those around it."""
    for i in range(H):
        for j in range(W):
            if board[i, j]:
                for a in range(-1, 2):
                    for b in range(-1, 2):
                        if a != 0 or b != 0:
                            count[(i + a) % H, (j + b) % W] += 1


@kernel
def conv2d_lenet(
    x: Tensor[f32, B, H, W, C], w: Tensor[f32, 3, 3, C, Q], out: Tensor[f32, B, H - 2, W - 2, Q]
) -> None:
    """A convolution of windows by slices and sums over their axes."""
    for i in range(H - 2):
        for j in range(W - 2):
            out[:, i, j, :] = np.sum(
                x[:, i : i + 3, j : j + 3, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2, 3)
            )


@kernel
def maxpool_lenet(x: Tensor[f32, B, H, W, C], out: Tensor[f32, B, H // 2, W // 2, C]) -> None:
    """Windows of two by two, all pictures and channels at once."""
    for i in range(H // 2):
        for j in range(W // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))


@kernel
def maxpool_padded(x: Tensor[f32, C, H, W], out: Tensor[f32, C, H, W]) -> None:
    """The largest of three by three with dilation 2, padded by minus infinity."""
    for c in range(C):
        for i in range(H):
            for j in range(W):
                m = f32(-math.inf)
                for a in range(-2, 3, 2):
                    for b in range(-2, 3, 2):
                        if 0 <= i + a < H and 0 <= j + b < W:
                            m = max(m, x[c, i + a, j + b])
                out[c, i, j] = m


@kernel
def avgpool_1d(x: Tensor[f32, C, N], out: Tensor[f32, C, (N - 4) // 2 + 1]) -> None:
    """Means of four with stride 2."""
    assert N >= 4
    for c in range(C):
        for i in range((N - 4) // 2 + 1):
            s = f32(0)
            for k in range(4):
                s += x[c, 2 * i + k]
            out[c, i] = s / 4


@kernel
def conv2d_strided(
    x: Tensor[f32, B, C, H, W],
    w: Tensor[f32, Q, C, 3, 3],
    bias: Tensor[f32, Q],
    out: Tensor[f32, B, Q, (H + 1) // 2, (W + 1) // 2],
) -> None:
    """Three by three, stride 2, padding 1."""
    for b in range(B):
        for o in range(Q):
            for i in range((H + 1) // 2):
                for j in range((W + 1) // 2):
                    s = bias[o]
                    for c in range(C):
                        for p in range(3):
                            for q in range(3):
                                y, z = 2 * i + p - 1, 2 * j + q - 1
                                if 0 <= y < H and 0 <= z < W:
                                    s += x[b, c, y, z] * w[o, c, p, q]
                    out[b, o, i, j] = s


@kernel
def conv2d_depthwise(x: Tensor[f32, C, H, W], w: Tensor[f32, C, 3, 3], out: Tensor[f32, C, H - 2, W - 2]) -> None:
    """A mask of its own for each channel."""
    for c in range(C):
        for i in range(H - 2):
            for j in range(W - 2):
                s = f32(0)
                for p in range(3):
                    for q in range(3):
                        s += x[c, i + p, j + q] * w[c, p, q]
                out[c, i, j] = s


@kernel
def conv2d_grouped(
    x: Tensor[f32, G * C, H, W], w: Tensor[f32, G * Q, C, 3, 3], out: Tensor[f32, G * Q, H - 2, W - 2]
) -> None:
    """G groups of channels that do not mix."""
    for o in range(G * Q):
        g = o // Q
        for i in range(H - 2):
            for j in range(W - 2):
                s = f32(0)
                for c in range(C):
                    for p in range(3):
                        for q in range(3):
                            s += x[g * C + c, i + p, j + q] * w[o, c, p, q]
                out[o, i, j] = s


@kernel
def conv_transposed(x: Tensor[f32, C, N], w: Tensor[f32, C, Q, 3], out: Tensor[f32, Q, 2 * N + 1]) -> None:
    """A transposed convolution of stride 2 as it is defined: each input is spread over three outputs."""
    for c in range(C):
        for i in range(N):
            for o in range(Q):
                for k in range(3):
                    out[o, 2 * i + k] += x[c, i] * w[c, o, k]
