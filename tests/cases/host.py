"""Loops, `while` and branches of the launcher that depend on what the device found."""

from tl2hip import Tensor, dims, f32, i32, kernel

M, N = dims("M N")


@kernel
def converge(u: Tensor[f32, N], v: Tensor[f32, N], tol: f32, limit: int) -> int:
    err = tol + f32(1)
    turns = 0
    while err > tol and turns < limit:
        err = f32(0)
        for i in range(1, N - 1):
            v[i] = (u[i - 1] + u[i + 1]) * f32(0.25)
            err = max(err, abs(v[i] - u[i]))
        for i in range(1, N - 1):
            u[i] = v[i]
        turns += 1
    return turns


@kernel
def stop(u: Tensor[f32, N], v: Tensor[f32, N], tol: f32) -> None:
    for _ in range(20):
        err = f32(0)
        for i in range(1, N - 1):
            v[i] = (u[i - 1] + u[i + 1]) * f32(0.25)
            err = max(err, abs(v[i] - u[i]))
        for i in range(1, N - 1):
            u[i] = v[i]
        if err < tol:
            break


@kernel
def forever(u: Tensor[i32, N], n: Tensor[i32, 1]) -> None:
    n[0] = 0
    while True:
        changed = False
        for i in range(N):
            if u[i] > 5 or u[i] < -5:
                u[i] = u[i] // 2 + (0 if u[i] > 0 else 1)
                changed = True
        n[0] += 1
        if not changed:
            break


@kernel
def bounds(x: Tensor[f32, M, N], c: Tensor[i32, 2]) -> None:
    for t in range(c[0] % 4, c[1] % 7):
        for i in range(M):
            for j in range(N):
                x[i, j] = x[i, j] * f32(0.5) + t
        if x[0, 0] > 0:
            for i in range(M):
                for j in range(N):
                    x[i, j] -= 1


@kernel
def early(x: Tensor[f32, M, N], c: Tensor[i32, 1]) -> None:
    if c[0] < 0:
        return
    for i in range(M):
        for j in range(N):
            x[i, j] = x[i, j] * f32(0.5)
    if c[0] == 0:
        return
    for i in range(M):
        for j in range(N):
            x[i, j] -= 1


@kernel
def in_place(u: Tensor[i32, N]) -> None:
    while True:
        changed = False
        for i in range(N):
            if u[i] > 5:
                u[i] = u[i] // 2
                changed = True
        if not changed:
            break


@kernel
def changed_flag(u: Tensor[i32, N]) -> None:
    changed = True
    while changed:
        changed = False
        for i in range(N):
            if u[i] > 5:
                u[i] = u[i] // 2
                changed = True


@kernel
def two_loops(u: Tensor[i32, N]) -> None:
    changed = True
    while changed:
        changed = False
        for i in range(N):
            if u[i] > 5:
                changed = True
        for i in range(N):
            u[i] = u[i] // 2
