"""Kernels at the places where such tools have failed."""

from tl2hip import Tensor, Tile, dims, f16, f32, i8, i32, i64, kernel, u8, u32

M, N, K = dims("M N K")


@kernel
def rest_of_k(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    """A product whose inner extent need not be a multiple of its tile."""
    i: Tile[int, 32]
    j: Tile[int, 32]
    k: Tile[int, 32]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s


@kernel
def once_each(count: Tensor[i32, M, N]) -> None:
    """Every element counts how often it is met."""
    for i in range(M):
        for j in range(N):
            count[i, j] += 1


@kernel
def nested_remainders(x: Tensor[i64, N], y: Tensor[i64, N], z: Tensor[i64, N]) -> None:
    """Remainders of remainders by numbers that do not divide each other, of numbers of either sign."""
    for i in range(N):
        y[i] = x[i] % 12 % 8 + (x[i] * 6 + 5) % 4 + (x[i] // 6) // 4 - x[i] // 24 + (x[i] % 10) // 5
        z[(i % 12 % 8 + i // 12 * 12 + i % 12 // 8 * 8) % N] = i % 7 % 3


@kernel
def division_pairs(
    a: Tensor[i32, N], b: Tensor[i32, N], q: Tensor[i32, N], r: Tensor[i32, N], up: Tensor[i32, N]
) -> None:
    """Quotient and remainder belong together; rounding up is a floor of the negative."""
    for i in range(N):
        if b[i] != 0:
            q[i] = a[i] // b[i]
            r[i] = a[i] - (q[i] * b[i] + a[i] % b[i])
            up[i] = -(-a[i] // b[i])


@kernel
def blocks_of_odd_sizes(x: Tensor[f32, M, N], y: Tensor[f32, M], z: Tensor[f32, M], w: Tensor[f32, M]) -> None:
    """Sums over 48, 96 and 200 lanes."""
    a: Tile[int, 48]
    b: Tile[int, 96]
    c: Tile[int, 200]
    for i in range(M):
        s = f32(0)
        for a in range(N):
            s += x[i, a]
        y[i] = s
    for i in range(M):
        s = f32(0)
        for b in range(N):
            s += x[i, b]
        z[i] = s
    for i in range(M):
        s = f32(0)
        for c in range(N):
            s += x[i, c]
        w[i] = s


@kernel
def row_sum(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    """Rows of any length."""
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += x[i, j]
        y[i] = s


@kernel
def tiles_of_one(A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    """The smallest tiles there are."""
    i: Tile[int, 1]
    j: Tile[int, 1]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += A[i, k] * B[k, j]
            C[i, j] = s


@kernel
def one_element_for_all(x: Tensor[f32, N], y: Tensor[f32, 2, 2]) -> None:
    """Every iteration adds to the same element."""
    for i in range(N):
        y[0, 1] += x[i]


@kernel
def clashes(half: Tensor[f32, N], warpSize: Tensor[f32, N], I: Tensor[f32, N], do: int) -> None:  # noqa: E741
    """Names that HIP has uses of its own for."""
    for new in range(N):
        float4 = half[new] + do
        __shared__ = warpSize[new] * float4
        I[new] = __shared__


@kernel
def mixed_signs(
    a: Tensor[u8, N], b: Tensor[i8, N], c: Tensor[u32, N], d: Tensor[i64, N], y: Tensor[i64, N]
) -> None:
    """Signed and unsigned, narrow and wide."""
    for i in range(N):
        y[i] = a[i] * b[i] - c[i] * b[i] + (c[i] - a[i]) + d[i] // (b[i] * 2 + 1)
