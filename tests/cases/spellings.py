"""Names of C++ and of helpers, marks of odd sizes, loops backwards, swaps, constants."""

import math

from tl2hip import Tensor, Tile, dims, f32, i32, i64, kernel, serial, tiled, unroll

M, N = dims("M N")

BLOCK = 3
HALF = 0.5
NEG = -4


def helper(a, b):  # type: ignore[no-untyped-def]
    """A helper of two weak parameters."""
    return a * b + BLOCK


def clamp(v: int, lo: int, hi: int) -> int:
    """v, no less than lo and no more than hi."""
    if v < lo:
        return lo
    if v > hi:
        return hi
    return v


def two(a, b):  # type: ignore[no-untyped-def]
    """Both, the second first."""
    return b, a


@kernel
def names(
    thread_x: Tensor[f32, N],
    block_x: Tensor[f32, N],
    out: Tensor[f32, N],
    wrapped: Tensor[f32, N],
    exp_f32: Tensor[f32, N],
    stream: Tensor[f32, N],
    workspace: Tensor[f32, N],
    hipError_t: f32,
    dim3: int,
    new: Tensor[f32, N],
) -> None:
    for threadIdx in range(N):
        i64_ = math.exp(thread_x[threadIdx]) + hipError_t
        float4 = block_x[threadIdx]
        do = float4 * dim3
        out[threadIdx] = i64_ + do + wrapped[threadIdx - 1]
        new[threadIdx] = exp_f32[threadIdx] + stream[threadIdx] * workspace[threadIdx]


@kernel
def min_i64(min: Tensor[i64, N], overlap: Tensor[i64, N], grid_x: Tensor[i64, M]) -> None:
    for int_ in range(N):
        switch = min[int_] // 3
        overlap[int_] = switch
    for blocks_x in range(M):
        grid_x[blocks_x] = overlap[blocks_x % N]


@kernel
def i64k(
    i64: Tensor[f32, N],
    hipLaunchKernelGGL: Tensor[f32, N],
    blockIdx: Tensor[f32, N],
    namespace: Tensor[f32, N],
    __x: Tensor[f32, N],
    _Y: Tensor[f32, N],
) -> None:
    for i in range(N):
        namespace[i] = i64[i] + blockIdx[i] + hipLaunchKernelGGL[i] + __x[i] + _Y[i]


@kernel
def naïve(größe: Tensor[f32, N], α: f32, 变量: Tensor[f32, N]) -> None:
    for ж in range(N):
        变量[ж] = größe[ж] * α


@kernel
def helpers_(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        a, b = two(x[i], x[clamp(i - 1, 0, N - 1)])
        y[i] = helper(a, b) * HALF + NEG


@kernel
def reassign(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    for i in range(N):
        i = i + 1
        y[i - 1] = x[N - i] + i


@kernel
def tiles_odd(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    i: Tile[int, 3]
    j: Tile[int, 100]
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j] + 1


@kernel
def tile_huge(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 4096]
    for i in range(N):
        y[i] = x[i] + 1


@kernel
def tile_red(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    i: Tile[int, 7]
    j: Tile[int, 33]
    for i in range(N):
        s = f32(0)
        for j in range(M):
            s += x[i, j]
        y[i] = s


@kernel
def serial_par(x: Tensor[f32, N, M]) -> None:
    i: Tile[int, serial]
    for i in range(1, N):
        for j in range(M):
            x[i, j] += x[i - 1, M - 1 - j]


@kernel
def unroll_(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    j: Tile[int, unroll(4)]
    for i in range(N):
        s = f32(0)
        for j in range(M):
            s += x[i, j]
        y[i] = s


@kernel
def tiled_(x: Tensor[f32, N, M], y: Tensor[f32, N, M]) -> None:
    for i in tiled(range(N), 2):
        for j in tiled(range(M - 1, -1, -1), 65):
            y[i, j] = x[i, j]


@kernel
def r_negstep3(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    for i in range(N - 1, 2, -3):
        y[i] = x[i] + i


@kernel
def swap_scalar(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        a = x[i]
        b = y[i]
        a, b = b, a + b
        x[i] = a
        y[i] = b


@kernel
def cont_inner(x: Tensor[i32, N, M], y: Tensor[i32, N]) -> None:
    for i in range(N):
        s = 0
        for j in range(M):
            if x[i, j] % 3 == 0:
                continue
            s += x[i, j]
        y[i] = s


@kernel
def chain(x: Tensor[f32, N], y: Tensor[i32, N]) -> None:
    for i in range(N):
        if 0 < x[i] < 1 or not (x[i] >= -3 and i != 2):
            y[i] = 1
        elif x[i] == 0 != 3:
            y[i] = 2
        else:
            y[i] = 3 if x[i] > 5 else 4


@kernel
def rev_in_place(x: Tensor[f32, N]) -> None:
    for i in range(N // 2):
        x[i], x[N - 1 - i] = x[N - 1 - i], x[i]


@kernel
def transp_in_place(x: Tensor[f32, N, N]) -> None:
    for i in range(N):
        for j in range(i):
            x[i, j], x[j, i] = x[j, i], x[i, j]


@kernel
def empty(x: Tensor[f32, N]) -> None:
    pass


@kernel
def vec_half(x: Tensor[f32, 2 * N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * x[i + N]
