"""Reductions, scans, histograms."""

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, i32, kernel

M, N, B = dims("M N B")


@kernel
def go_fast(a: Tensor[f32, N, N], out: Tensor[f32, N, N]) -> None:
    """a plus the sum of the hyperbolic tangents of its diagonal."""
    trace = f32(0)
    for i in range(N):
        trace += np.tanh(a[i, i])
    out[:] = a + trace


@kernel
def sumarray3d_nested(a: Tensor[f32, M, N], w: Tensor[f32, M], out: Tensor[f32, 1]) -> None:
    """A weighted sum by a function inside and a list."""

    def part(i: int) -> f32:  # TL114
        s = f32(0)
        for j in range(N):
            s += a[i, j] * w[i]
        return s

    out[0] = sum([part(i) for i in range(M)])


def part_of(row: Tensor[f32, N], weight: f32) -> f32:
    """The sum of a row, weighted."""
    s = f32(0)
    for j in range(len(row)):
        s += row[j] * weight
    return s


@kernel
def sumarray3d(a: Tensor[f32, M, N], w: Tensor[f32, M], out: Tensor[f32, 1]) -> None:
    """The same, the function beside the kernel."""
    s = f32(0)
    for i in range(M):
        s += part_of(a[i], w[i])
    out[0] = s


@kernel
def azimint_hist(
    data: Tensor[f32, N], radius: Tensor[f32, N], rmax: f32, total: Tensor[f32, B], count: Tensor[i32, B]
) -> None:
    """The sum and the number of the values at each distance."""
    for i in range(N):
        bin = min(int(B * radius[i] / rmax), B - 1)
        if bin >= 0:
            total[bin] += data[i]
            count[bin] += 1


@kernel
def azimint_mean(data: Tensor[f32, N], radius: Tensor[f32, N], rmax: f32, out: Tensor[f32, B]) -> None:
    """The mean of the values at each distance, by masks."""
    for b in range(B):
        s = f32(0)
        n = 0
        for i in range(N):
            if rmax * b / B <= radius[i] < rmax * (b + 1) / B:
                s += data[i]
                n += 1
        out[b] = s / n if n > 0 else f32(0)


@kernel
def histogram_list(x: Tensor[f32, N], bins: int):
    """A histogram of a list that loses its last bin."""
    hist = [0] * (bins + 1)  # TL340
    for i in range(N):
        hist[int(x[i] * bins)] += 1
    hist.pop()  # TL341
    return hist


@kernel
def histogram(x: Tensor[f32, N], low: f32, high: f32) -> NDArray[np.int64]:
    """Sixteen bins of an array made here."""
    hist = np.zeros(16, dtype=np.int64)
    for i in range(N):
        if low <= x[i] < high:
            hist[min(int((x[i] - low) / (high - low) * 16), 15)] += 1
    return hist


@kernel
def cumsum(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """Running sums of rows."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += x[i, j]
            y[i, j] = s


@kernel
def cumsum_exclusive(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """The same without the element itself."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            y[i, j] = s
            s += x[i, j]


@kernel
def cumsum_reverse(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """Running sums from the end."""
    for i in range(M):
        s = f32(0)
        for j in range(N - 1, -1, -1):
            s += x[i, j]
            y[i, j] = s


@kernel
def cumsum_masked(x: Tensor[f32, M, N], mask: Tensor[bool, M, N], y: Tensor[f32, M, N]) -> None:
    """Running sums of what a mask lets through."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            if mask[i, j]:
                s += x[i, j]
            y[i, j] = s


@kernel
def cumprod(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """Running products of rows."""
    for i in range(M):
        y[i, 0] = x[i, 0]
        for j in range(1, N):
            y[i, j] = y[i, j - 1] * x[i, j]


@kernel
def cumsum_line(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """Running sums of one array."""
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def reverse_cumsum_numpy(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """Running sums from the end, by NumPy."""
    for i in range(M):
        y[i, :] = np.cumsum(x[i, ::-1])[::-1]
