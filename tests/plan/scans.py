"""Scans: running values that are read as they go, over one axis, of each dtype and operation."""

import math

import numpy as np

from tl2hip import Tensor, Tile, bf16, dims, f16, f32, f64, i8, i16, i32, i64, kernel, u8, u32, waves

M, N = dims("M N")


@kernel
def inclusive(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def exclusive(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        y[i] = s
        s += x[i]


@kernel
def double(x: Tensor[f64, N], y: Tensor[f64, N]) -> None:
    s = f64(1.5)
    for i in range(N):
        s += x[i] * x[i]
        y[i] = s


@kernel
def halves(x: Tensor[f16, N], y: Tensor[f16, N]) -> None:
    m = f16(-math.inf)
    for i in range(N):
        m = max(m, x[i])
        y[i] = m


@kernel
def half_sums(x: Tensor[f16, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += f32(x[i])
        y[i] = s


@kernel
def brain(x: Tensor[bf16, N], y: Tensor[bf16, N]) -> None:
    m = bf16(math.inf)
    for i in range(N):
        m = np.minimum(m, x[i])
        y[i] = m


@kernel
def bytes_wrap(x: Tensor[i8, N], y: Tensor[i8, N]) -> None:
    s = i8(3)
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def shorts(x: Tensor[i16, N], y: Tensor[i16, N]) -> None:
    s = i16(0)
    for i in range(N):
        s = s ^ x[i]
        y[i] = s


@kernel
def unsigned(x: Tensor[u32, N], y: Tensor[u32, N], b: Tensor[u8, N], c: Tensor[u8, N]) -> None:
    s = u32(1)
    t = u8(255)
    for i in range(N):
        s = s * x[i]
        t = t & b[i]
        y[i] = s
        c[i] = t


@kernel
def longs(x: Tensor[i64, N], y: Tensor[i64, N]) -> None:
    s = 0
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def flags(x: Tensor[f32, N], some: Tensor[bool, N], every: Tensor[bool, N]) -> None:
    any_ = False
    all_ = True
    for i in range(N):
        any_ = any_ or x[i] > f32(2)
        all_ = all_ and x[i] < f32(1)
        some[i] = any_
        every[i] = all_


@kernel
def first_one(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    seen = False
    for i in range(N):
        y[i] = 0 if seen else 1
        if x[i] == 1:
            seen = True


@kernel
def reverse(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N - 1, -1, -1):
        s += x[i]
        y[i] = s


@kernel
def every_third(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    s = i32(0)
    for i in range(1, N, 3):
        s += x[i]
        y[i - 1] = s


@kernel
def middle(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = x[0]
    for i in range(2, N - 1):
        s += x[i - 1] + x[i + 1]
        y[i] = s


@kernel
def positions(x: Tensor[f32, N], at: Tensor[i64, N], count: Tensor[i64, 1]) -> None:
    n = 0
    for i in range(N):
        at[i] = -1
        if x[i] > 0:
            at[i] = n
            n += 1
    count[0] = n


@kernel
def running_max(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    m = f32(-math.inf)
    for i in range(N):
        if x[i] > m:
            m = x[i]
        y[i] = m


@kernel
def nan_stays(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    m = f32(-math.inf)
    k = f32(math.inf)
    for i in range(N):
        v = np.sqrt(x[i])
        m = np.maximum(m, v)
        k = min(k, v)
        y[i] = m
        z[i] = k


@kernel
def products(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    p = f32(1)
    for i in range(N):
        p *= f32(1) + x[i] / f32(64)
        y[i] = p


@kernel
def several(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N], out: Tensor[f32, 4]) -> None:
    s = f32(0)
    m = f32(-1)
    n = 0
    t = f32(0)
    for i in range(N):
        v = x[i] * x[i]
        s += v
        if x[i] > f32(0):
            n += 1
        m = max(m, x[i])
        t += x[i]
        y[i] = s + m
        z[i] = f32(n)
    out[0] = s
    out[1] = m
    out[2] = f32(n)
    out[3] = t


@kernel
def goes_on(first: f32, x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    s = first
    for i in range(N):
        s += x[i]
        y[i] = s
    for i in range(N):
        s = s + y[i]
        z[i] = s * first
    y[0] = s


@kernel
def in_place(x: Tensor[i32, N]) -> None:
    s = i32(0)
    for i in range(N):
        s += x[i]
        x[i] = s


@kernel
def of_rows(x: Tensor[f32, N, M], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        for j in range(M):
            s += x[i, j]
            y[i] = s


@kernel
def counted(x: Tensor[i32, N], y: Tensor[i32, N], bins: Tensor[i32, 8]) -> None:
    s = i32(0)
    for i in range(N):
        s += x[i]
        y[i] = s
        bins[abs(x[i]) % 8] += 1


@kernel
def each_time(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    s = i32(0)
    for _ in range(3):
        for i in range(N):
            s += x[i]
            y[i] = s


@kernel
def from_memory(end: Tensor[i32, 1], x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    s = i32(0)
    for i in range(end[0]):
        s += x[i]
        y[i] = s


@kernel
def fixed(x: Tensor[f32, 5000], y: Tensor[f32, 5000]) -> None:
    s = f32(0)
    for i in range(5000):
        s += x[i]
        y[i] = s


@kernel
def fixed_short(x: Tensor[i32, 65], y: Tensor[i32, 65]) -> i32:
    s = i32(7)
    for i in range(65):
        s += x[i]
        y[i] = s
    return s


@kernel
def marked(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    i: Tile[int, 512, waves(2)]
    s = f32(0)
    for i in range(N):
        s += x[i]
        y[i] = s


@kernel
def on_the_one_before(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(1, N):
        y[i] = y[i - 1] + x[i]


@kernel
def onto_itself(x: Tensor[i32, N]) -> None:
    for i in range(N - 2, -1, -1):
        x[i] += x[i + 1]


@kernel
def greatest_before(x: Tensor[f32, N], y: Tensor[f32, N], z: Tensor[f32, N]) -> None:
    y[0] = x[0]
    for i in range(1, N):
        z[i] = y[i - 1] * f32(2)
        y[i] = np.maximum(y[i - 1], x[i])


@kernel
def by_threes(x: Tensor[i64, N], y: Tensor[i64, N]) -> None:
    for i in range(3, N, 3):
        y[i] = y[i - 3] ^ x[i]


@kernel
def rows_on_the_left(x: Tensor[i32, N, M], y: Tensor[i32, N, M]) -> None:
    for i in range(N):
        for j in range(1, M):
            y[i, j] = y[i, j - 1] + x[i, j]
