"""Kernels that load along one axis and store along another."""

from tl2hip import Tensor, Tile, bf16, dims, f8e4m3, f16, f32, f64, i8, kernel

M, N, K = dims("M N K")


@kernel
def plain(A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j]


@kernel
def halves(A: Tensor[f16, M, N], B: Tensor[f16, N, M]) -> None:
    for j in range(N):
        for i in range(M):
            B[j, i] = A[i, j] * f16(2)


@kernel
def doubles(A: Tensor[f64, M, N], B: Tensor[f64, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j] - 1.0


@kernel
def octets(A: Tensor[i8, M, N], B: Tensor[i8, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j]


@kernel
def small_tiles(A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    i: Tile[int, 32]
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j]


@kernel
def narrowed(A: Tensor[f32, M, N], B: Tensor[bf16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = bf16(A[i, j])


@kernel
def with_more(
    A: Tensor[f32, M, N], s: Tensor[f32, N], t: Tensor[f32, M], C: Tensor[f32, N, M], B: Tensor[f32, N, M]
) -> None:
    for i in range(M):
        for j in range(N):
            x = A[i, j] * s[j]
            B[j, i] = x + t[i] * C[j, i] + f32(i - j)


@kernel
def added(A: Tensor[f32, M, N], D: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] += A[i, j] * D[i, j]


@kernel
def inner_part(A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(1, M - 2):
        for j in range(3, N - 1):
            B[j, i + 1] = A[i - 1, j] + A[i, j - 1]


@kernel
def heads(A: Tensor[f16, M, N, 3, K], B: Tensor[f16, M, 3, K, N]) -> None:
    for b in range(M):
        for n in range(N):
            for h in range(3):
                for k in range(K):
                    B[b, h, k, n] = A[b, n, h, k]


@kernel
def triangular(A: Tensor[f32, M, M, N, K], B: Tensor[f32, M, M, K, N]) -> None:
    for b in range(M):
        for h in range(b):
            for n in range(N):
                for k in range(K):
                    B[b, h, k, n] = A[b, h, n, k]


@kernel
def strided(A: Tensor[f32, M, N, K], B: Tensor[f32, K, M, N]) -> None:
    for b in range(1, M, 2):
        for n in range(N - 1):
            for k in range(K):
                B[k, b, n] = A[b, n, k]


@kernel
def scaled(A: Tensor[f16, M, N], s: Tensor[f32, M], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f16(f32(A[i, j]) * s[i])


@kernel
def scaled_rows(A: Tensor[f16, M, N], s: Tensor[f32, M], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        scale = f32(1) / s[i]
        for j in range(N):
            B[j, i] = f16(f32(A[i, j]) * scale)


@kernel
def to_halves(A: Tensor[f32, M, N], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f16(A[i, j])


@kernel
def widened(A: Tensor[f16, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f32(A[i, j])


@kernel
def dequantised(A: Tensor[i8, M, N], scale: Tensor[f32, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f32(A[i, j]) * scale[j]


@kernel
def quantised(A: Tensor[f16, M, N], scale: Tensor[f32, M], B: Tensor[f8e4m3, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f8e4m3(f32(A[i, j]) / scale[i])


@kernel
def to_doubles(A: Tensor[i8, M, N], B: Tensor[f64, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = f64(A[i, j])


@kernel
def two_widths(A: Tensor[f32, M, N], D: Tensor[f16, M, N], C: Tensor[f64, N, M], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] += f16(A[i, j] + f32(D[i, j]) + f32(C[j, i]))


@kernel
def far_widths(A: Tensor[f32, M, N], D: Tensor[i8, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j] + f32(D[i, j])


@kernel
def far_wide(A: Tensor[f64, M, N], D: Tensor[f16, M, N], B: Tensor[f64, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j] + f64(D[i, j])


@kernel
def near_widths(A: Tensor[f16, M, N], D: Tensor[i8, M, N], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j] + f16(D[i, j])


@kernel
def large_tiles(A: Tensor[f16, M, N], B: Tensor[f16, N, M]) -> None:
    j: Tile[int, 128]
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j]


@kernel
def blended(alpha: f32, beta: f32, A: Tensor[f32, M, N], B: Tensor[f32, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = alpha * A[i, j] + beta * B[j, i]


@kernel
def chosen(A: Tensor[f16, M, N], w: Tensor[f32, N], B: Tensor[f16, N, M]) -> None:
    for i in range(M):
        for j in range(N):
            B[j, i] = A[i, j] if w[j] > 0 else B[j, i]
