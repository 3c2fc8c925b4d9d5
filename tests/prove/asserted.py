"""Kernels whose asserts tie sizes and scalars together; only few values of these fit each other."""

from tl2hip import Tensor, dims, f32, i8, i32, kernel, u8

M, N = dims("M N")


@kernel
def twice(x: Tensor[f32, N], y: Tensor[f32, N], n: int, m: int) -> None:
    assert n == 2 * m
    assert n > 10
    for i in range(N):
        y[i] = x[i] * n + m


@kernel
def part(x: Tensor[f32, N], y: Tensor[f32, N], low: int, high: int) -> None:
    assert 0 <= low < high <= N
    for i in range(low, high):
        y[i] = x[i]


@kernel
def narrow(x: Tensor[f32, N], y: Tensor[f32, N], eps: f32, p: f32) -> None:
    assert 0.25 < eps < 0.26
    assert p >= 0 and p <= 1
    for i in range(N):
        y[i] = x[i] * eps + p


@kernel
def size(x: Tensor[f32, N], y: Tensor[f32, N], n: int, k: i32) -> None:
    assert n == N
    assert k == 1234
    for i in range(n):
        y[i] = x[i] + k


@kernel
def eighths(x: Tensor[f32, M, N], y: Tensor[f32, M, N], n: int) -> None:
    assert N == 2 * M
    assert n * 8 == N
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] + n


@kernel
def several(x: Tensor[f32, N], y: Tensor[f32, N], a: f32, b: f32, c: i8, u: u8) -> None:
    assert a != 0 and b < a
    assert c == 3 or c == 5
    assert u >= 200
    assert not (c == 4 or a == 1.0)
    for i in range(N):
        y[i] = x[i] / a + b + c + u


@kernel
def strided(x: Tensor[f32, M], y: Tensor[f32, N], stride: int) -> None:
    assert stride > 0
    assert N * stride == M
    for i in range(N):
        y[i] = x[i * stride]


@kernel
def far(x: Tensor[f32, N], y: Tensor[f32, N], k: int) -> None:
    assert N >= 100 and k >= 50 and k < N
    for i in range(N - k):
        y[i] = x[i + k]


@kernel
def never(x: Tensor[f32, N], y: Tensor[f32, N], n: int) -> None:
    assert n * n == 2
    for i in range(N):
        y[i] = x[i] + n
