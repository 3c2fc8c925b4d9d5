"""Loops left early: `break`, `return` in loops of helpers, kernels that return before their end."""

from tl2hip import Tensor, Tile, dims, f32, i32, kernel, serial

M, N, K = dims("M N K")


@kernel
def outer_serial(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, serial]
    for i in range(N):
        if x[i] < 0:
            break
        y[i] = x[i]


@kernel
def two(x: Tensor[f32, M, N], y: Tensor[i32, M], z: Tensor[f32, M]) -> None:
    for i in range(M):
        y[i] = -1
        s = f32(0)
        for j in range(N):
            if x[i, j] > 1:
                y[i] = j
                break
            if x[i, j] < -1:
                continue
            s += x[i, j]
            for k in range(j, N):
                if x[i, k] > s:
                    break
                s += 1
        z[i] = s


@kernel
def forever(x: Tensor[f32, M], y: Tensor[i32, M]) -> None:
    for i in range(M):
        n = 0
        v = abs(x[i])
        while True:
            v = v * f32(0.5)
            if v < 1:
                break
            n += 1
        y[i] = n


@kernel
def host(u: Tensor[f32, N], v: Tensor[f32, N], tol: f32) -> None:
    for _t in range(100):
        err = f32(0)
        for i in range(1, N - 1):
            v[i] = (u[i - 1] + u[i + 1]) * f32(0.5)
            err = max(err, abs(v[i] - u[i]))
        for i in range(1, N - 1):
            u[i] = v[i]
        if err < tol:
            break
def find(row: Tensor[f32, N], v: f32) -> int:
    for j in range(len(row)):
        if row[j] == v:
            return j
    return -1


def find2(a: Tensor[f32, M, N], v: f32) -> int:
    for i in range(M):
        for j in range(N):
            if a[i, j] == v:
                return i * 100 + j
            if a[i, j] > 100:
                break
    if M > 3:
        return -1
    return -2


def halve(v: f32) -> int:
    n = 0
    while True:
        if v < 1:
            return n
        v = v * f32(0.5)
        n += 1


def fill(row: Tensor[i32, K], n: int) -> None:
    for j in range(len(row)):
        if j >= n:
            return
        row[j] = 7


@kernel
def search(
    x: Tensor[f32, M, N], v: Tensor[f32, K], y: Tensor[i32, M, K], z: Tensor[i32, K], h: Tensor[i32, K]
) -> None:
    for i in range(M):
        for k in range(K):
            y[i, k] = find(x[i, :], v[k])
    for k in range(K):
        z[k] = find2(x, v[k])
        h[k] = halve(v[k])


@kernel
def early(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    if N < 5:
        return
    for i in range(N):
        y[i] = x[i] * 2


@kernel
def early_value(x: Tensor[f32, N]) -> object:
    if N < 5:
        return f32(0)
    s = f32(0)
    for i in range(N):
        s += x[i]
    return s


@kernel
def none(y: Tensor[i32, M, K]) -> None:
    for i in range(M):
        fill(y[i], i)
