"""Integers: floor division, remainders, shifts, wrapping, mixed signs, bools."""

from tl2hip import Tensor, dims, f16, f32, i8, i32, i64, kernel, u8, u32

M, N = dims("M N")


@kernel
def intops(a: Tensor[i32, N], b: Tensor[i32, N], q: Tensor[i32, N], r: Tensor[i32, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
        z[i] = (a[i] << (b[i] % 40)) + (a[i] >> (b[i] % 40)) ^ (a[i] & b[i] | ~a[i])


@kernel
def u8weak(x: Tensor[u8, N], y: Tensor[u8, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        y[i] = x[i] + 200
        z[i] = x[i] * 2 - 3


@kernel
def u8neg(x: Tensor[u8, N], y: Tensor[u8, N]) -> None:
    for i in range(N):
        y[i] = -x[i] + (~x[i]) // 3


@kernel
def u8cmp(x: Tensor[u8, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        z[i] = (x[i] < 300) + (x[i] > -1) * 2 + (x[i] == 256) * 4


@kernel
def i8mix(x: Tensor[i8, N], w: Tensor[u8, N], y: Tensor[i32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * w[i]
        z[i] = x[i] / w[i]


@kernel
def u32mix(x: Tensor[u32, N], w: Tensor[i32, N], y: Tensor[i64, N], z: Tensor[u32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * w[i] + x[i] // 3
        z[i] = x[i] // 7 - x[i] % 5 + (x[i] >> 3)


@kernel
def i64big(x: Tensor[i64, N], y: Tensor[i64, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 3000000000 + (1 << 40) - x[i] // (-3)


@kernel
def u8prod(x: Tensor[u8, N, M], y: Tensor[u8, N], m: Tensor[u8, N]) -> None:
    for i in range(N):
        p = u8(1)
        q = u8(255)
        for j in range(M):
            p *= x[i, j]
            q = min(q, x[i, j])
        y[i] = p
        m[i] = q


@kernel
def mods(
    a: Tensor[i8, N],
    b: Tensor[i8, N],
    y: Tensor[i8, N],
    z: Tensor[i8, N],
    c: Tensor[u8, N],
    d: Tensor[u8, N],
    e: Tensor[i64, N],
    f: Tensor[i64, N],
) -> None:
    for i in range(N):
        y[i] = a[i] // b[i]
        z[i] = a[i] % b[i]
        d[i] = c[i] // c[N - 1 - i] + c[i] % 7
        f[i] = e[i] // -5 + e[i] % -7 - (-e[i]) // 4


@kernel
def shifts(
    a: Tensor[i32, N],
    s: Tensor[i32, N],
    y: Tensor[i32, N],
    z: Tensor[i32, N],
    u: Tensor[u8, N],
    b: Tensor[i8, N],
    w: Tensor[i64, N],
) -> None:
    for i in range(N):
        y[i] = a[i] << s[i]
        z[i] = a[i] >> s[i]
        u[i] = (u[i] << 3) | (u[i] >> 5)
        b[i] = b[i] >> 9
        w[i] = 1 << (s[i] & 63)


@kernel
def u8_sub(x: Tensor[u8, N], w: Tensor[u8, N], y: Tensor[i32, N], z: Tensor[u8, N], v: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = x[i] - w[i]
        z[i] = abs(int(x[i]) - int(w[i]))
        v[i] = x[i] / 2


@kernel
def i8_weak(x: Tensor[i8, N, M], y: Tensor[i8, N], z: Tensor[i32, N]) -> None:
    for i in range(N):
        s = 0
        t = i8(0)
        for j in range(M):
            s = s + x[i, j] * 2
            t += x[i, j] * 100
        y[i] = t
        z[i] = s


@kernel
def red_mulwrap(x: Tensor[i32, N, M], y: Tensor[i32, N], z: Tensor[i64, N]) -> None:
    for i in range(N):
        p = i32(1)
        q = 1
        for j in range(M):
            p *= x[i, j]
            q = q * 31 + x[i, j]
        y[i] = p
        z[i] = q


@kernel
def red_bitand(x: Tensor[i32, N, M], y: Tensor[i32, N], u: Tensor[u8, N, M], v: Tensor[u8, N]) -> None:
    for i in range(N):
        a = -1
        o = 0
        e = 0
        g = u8(255)
        for j in range(M):
            a &= x[i, j]
            o |= x[i, j]
            e ^= x[i, j]
            g &= u[i, j]
        y[i] = (a ^ o) + e
        v[i] = g


@kernel
def boolred(x: Tensor[bool, N, M], a: Tensor[bool, N], b: Tensor[bool, N], c: Tensor[bool, N]) -> None:
    for i in range(N):
        p = True
        q = False
        r = False
        for j in range(M):
            p &= x[i, j]
            q |= x[i, j]
            r ^= x[i, j]
        a[i] = p
        b[i] = q
        c[i] = r


@kernel
def boolarith(x: Tensor[bool, N], w: Tensor[f16, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        z[i] = x[i] * w[i] + x[i] * 3 + True


@kernel
def i64minmax(x: Tensor[i64, N, M], y: Tensor[i64, N], z: Tensor[i64, N]) -> None:
    for i in range(N):
        a = x[i, 0]
        b = 9223372036854775807
        for j in range(M):
            a = max(a, x[i, j])
            b = min(b, x[i, j])
        y[i] = a
        z[i] = b


@kernel
def rnd(a: Tensor[f32, N], q: Tensor[i32, N], r: Tensor[i32, N], z: Tensor[f32, N]) -> None:
    for i in range(N):
        q[i] = int(a[i])
        r[i] = round(a[i])
        z[i] = abs(a[i]) + a[i] ** 2
