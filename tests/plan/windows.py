"""Kernels that loop over a small window around each element."""

from tl2hip import Tensor, Tile, dims, f16, f32, i32, kernel

M, N, K = dims("M N K")


@kernel
def blur(A: Tensor[f32, M, N], B: Tensor[f32, M, N]) -> None:
    for i in range(1, M - 1):
        for j in range(1, N - 1):
            s = f32(0)
            for p in range(3):
                for q in range(3):
                    s += A[i + p - 1, j + q - 1]
            B[i, j] = s * f32(0.11)


@kernel
def halves(A: Tensor[f16, M, N], B: Tensor[f16, M, N]) -> None:
    for i in range(1, M - 1):
        for j in range(1, N - 1):
            s = f32(0)
            for p in range(-1, 2):
                for q in range(1, -2, -1):
                    s += f32(A[i + p, j + q])
            B[i, j] = f16(s / f32(9))


@kernel
def weighted(A: Tensor[f32, M + 2, N + 4], W: Tensor[f32, 3, 5], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for p in range(3):
                for q in range(5):
                    s += A[i + p, j + q] * W[p, q]
            B[i, j] = s


@kernel
def row_by_row(A: Tensor[f32, M + 2, N + 2], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            most = f32(-1e30)
            for p in range(3):
                t = f32(0)
                for q in range(0, 3, 2):
                    t += A[i + p, j + q] * A[i + p, j + q]
                most = max(most, t - f32(p))
            B[i, j] = most


@kernel
def horner(A: Tensor[f32, M, N], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            y = A[i, j]
            for n in range(4):
                y = y * A[i, j] + f32(n)
            B[i, j] = y


@kernel
def counted(A: Tensor[i32, M, N + 2], B: Tensor[i32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            n = 0
            for q in range(3):
                n += 1 if A[i, j + q] > A[i, j + 1] + q - 1 else 0
            B[i, j] = n


@kernel
def summed_outside(A: Tensor[f32, M, N + 2], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for q in range(3):
                s += A[i, j + q] * A[i, j + q]
            s += A[i, j] * A[i, j + 1]
            B[i, j] = s


@kernel
def large(A: Tensor[f32, M + 6, N + 6], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for p in range(7):
                for q in range(7):
                    s += A[i + p, j + q]
            B[i, j] = s


@kernel
def of_any_size(A: Tensor[f32, M, N + K], B: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for q in range(K):
                s += A[i, j + q]
            B[i, j] = s


@kernel
def kept(A: Tensor[f32, M, N + 2], B: Tensor[f32, M, N]) -> None:
    q: Tile[int, 2]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for q in range(3):
                s += A[i, j + q]
            B[i, j] = s
