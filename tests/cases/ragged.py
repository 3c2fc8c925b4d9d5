"""Rows between offsets: the ranges of one array do not overlap where they are said to be offsets."""

from tl2hip import Tensor, dims, f32, i32, kernel, offsets

T, D, B, N = dims("T D B N")


@kernel
def varlen(x: Tensor[f32, T, D], cu: Tensor[i32, B + 1], y: Tensor[f32, T, D]) -> None:
    assert offsets(cu)
    for b in range(B):
        for t in range(cu[b], cu[b + 1]):
            for d in range(D):
                y[t, d] = x[t, d] * (b + 1)


@kernel
def local(x: Tensor[f32, T], cu: Tensor[i32, B + 1], y: Tensor[f32, T]) -> None:
    assert offsets(cu)
    for b in range(B):
        start = cu[b]
        n = cu[b + 1] - start
        for i in range(n):
            y[start + i] = x[start + n - 1 - i] * n


@kernel
def spmv(
    start: Tensor[i32, N + 1], col: Tensor[i32, T], val: Tensor[f32, T], x: Tensor[f32, D], y: Tensor[f32, N]
) -> None:
    assert offsets(start)
    for i in range(N):
        for p in range(start[i], start[i + 1]):
            y[i] += val[p] * x[col[p]]


@kernel
def twice(x: Tensor[f32, T], cu: Tensor[i32, B + 1], y: Tensor[f32, T]) -> None:
    assert offsets(cu)
    for b in range(B):
        for t in range(cu[b], cu[b + 1] + 1):
            y[t] = x[t] * (b + 1)
