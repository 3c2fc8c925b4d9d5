"""What loops run over: tuples, lists, products, ranges of a run-time step; generators of several loops."""

import itertools
from itertools import product

import numpy as np

from tl2hip import Tensor, Tile, dims, f32, i32, i64, kernel, u8

M, N = dims("M N")

OFFSETS = [(-1, 0), (1, 0), (0, -1), (0, 1)]


@kernel
def box(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i in range(1, M - 1):
        for j in range(1, N - 1):
            s = f32(0)
            for di in (-1, 0, 1):
                for dj in [1, 0, -1]:
                    s += x[i + di, j + dj]
            y[i, j] = s


@kernel
def four(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    j: Tile[int, 32]
    for i, j in product(range(1, M - 1), range(1, N - 1)):
        s = f32(0)
        for di, dj in OFFSETS:
            s += x[i + di, j + dj]
        y[i, j] = s


SIZES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
STEPS = [3, -1, 7]


@kernel
def table(w: Tensor[u8, N], y: Tensor[f32, N]) -> None:
    for n in range(N):
        size = f32(SIZES[w[n] & 7])
        y[n] = -size if w[n] & 8 else size


@kernel
def table_from_its_end(w: Tensor[i32, N], y: Tensor[i64, N]) -> None:
    for n in range(N):
        q = w[n] % 3
        y[n] = STEPS[q - 3] + 10 * STEPS[q] + 100 * (STEPS[w[n]] if 0 <= w[n] < 3 else 0) + (5, n)[int(w[n] > 0)]


@kernel
def table_of_what_was(x: Tensor[f32, N], w: Tensor[i32, N], y: Tensor[f32, N]) -> None:
    for n in range(N):
        a = x[n]
        ways = (a, -a, a * a)
        a += 1
        y[n] = ways[w[n] % 3] + a


@kernel
def weights(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for i, j in np.ndindex(M, N):
        s = f32(0)
        for k, w in enumerate([0.25, 0.5, 0.25]):
            if j + k - 1 < 0 or j + k - 1 >= N:
                continue
            s += f32(w) * x[i, j + k - 1]
        y[i, j] = s


@kernel
def left_early(x: Tensor[f32, M, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        c = 0
        for a, b in itertools.product((-1, 0, 1), repeat=2):
            if a * b == 1 and x[i, 0] < 0:
                break
            for t in (0, 3, 4):
                if t == 4 and x[i, 0] > 0:
                    break
                c += a + 2 * b + t
        y[i] = c


@kernel
def taken_before(x: Tensor[i32, N], y: Tensor[i32, M]) -> None:
    for i in range(M):
        a = i
        b = 2
        s = 0
        for v in (a, b, a * b):
            a = a + v
            b = a * 3
            s = s * 2 + v
        for p, q in product(range(b), range(a % 3)):
            a = 100
            b = a + p
            s += p * q + b % 7
        y[i] = s * 10 + v


@kernel
def arrays(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        for a, w in ((x, 2), (y, 3)):
            a[i] = a[i] * w + 1
        for (p, q), r in zip([(1, 2), (3, 5)], reversed((7, 9)), strict=True):
            y[i] += p * q * r


@kernel
def index_tuples(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    for idx in np.ndindex(x.shape):
        i, j = idx
        back = (i, N - 1 - j)
        y[idx] = x[back] * 2
        y[idx] += x[idx]


@kernel
def steps(x: Tensor[f32, N], y: Tensor[f32, N], step: int) -> None:
    assert step > 0
    for i in range(0, N, step):
        y[i] = x[i] * 2
    for i in range(1, N, 2 * step + 1):
        y[i] += x[i] * i


@kernel
def steps_down(x: Tensor[i32, N], y: Tensor[i32, N], z: Tensor[i32, 2], step: int) -> None:
    assert step < 0
    for i in range(N - 1, -1, step):
        y[i] += x[i]
    z[0] = sum(x[i] * i for i in range(N - 1, 2, step))
    z[1] = sum(x[i] * i for i in reversed(range(N - 1, 2, step)))


@kernel
def sieve(y: Tensor[i32, N]) -> None:
    for i in range(2, N):
        for j in range(i * i, N, i):
            y[j] += 1


@kernel
def sums(x: Tensor[f32, M, N], y: Tensor[f32, M], z: Tensor[f32, M]) -> None:
    for i in range(M):
        y[i] = sum([x[i, j] * 2 for j in range(N)])
        z[i] = sum(x[k, j] for k in range(i) if k % 2 for j in range(k, N) if x[k, j] > 0)


@kernel
def extremes(x: Tensor[f32, M, N], y: Tensor[f32, M], z: Tensor[bool, M], w: Tensor[i32, M]) -> None:
    assert N > 0
    for i in range(1, M - 1):
        y[i] = max(x[i, j] * 2 for j in range(N)) - min([x[i, j] for j in range(N)])
        y[i] += sum(x[i + a, b] for a, b in product((-1, 0, 1), range(N)))
        z[i] = any(x[i, j] > 1 for j in range(N)) and all(x[i, j] != 0 for j in range(N))
        w[i] = max(a * i + b for a, b in product((-1, 0, 1), (0, 2, 7)))
        w[i] += sum(w * d for w, d in ((1, i), (2, i + 1), (3, 5))) + max((i, 3, 2 * i - 5))
