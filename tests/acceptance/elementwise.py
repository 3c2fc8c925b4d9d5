"""Iterating until, bits, element by element, and what front ends are asked first."""

import math

import numpy as np

from tl2hip import Tensor, dims, f32, f64, i32, i64, kernel, u8, u32

M, N, K, H, W = dims("M N K H W")


@kernel
def mandelbrot(left: f64, top: f64, step: f64, limit: int, out: Tensor[i64, H, W]) -> None:
    """Steps until |z| passes 2, with complex numbers taken apart."""
    for r in range(H):
        for c in range(W):
            x0, y0 = left + c * step, top + r * step
            x, y, n = 0.0, 0.0, 0
            while x * x + y * y <= 4.0 and n < limit:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                n += 1
            out[r, c] = n


@kernel
def julia(cr: f64, ci: f64, limit: int, out: Tensor[i64, H, W]) -> None:
    """Julia's set, the loop left by a break."""
    for r in range(H):
        for c in range(W):
            x, y = 1.5 * (2 * c - W) / W, 1.5 * (2 * r - H) / H
            for n in range(limit):
                out[r, c] = n
                if x * x + y * y > 10.0:
                    break
                x, y = x * x - y * y + cr, 2.0 * x * y + ci


@kernel
def mandelbrot_shrinking(cr: Tensor[f64, N], out: Tensor[i64, N], limit: int) -> None:
    """The points that have not escaped, a shorter array each step."""
    left = np.arange(N)
    z = np.zeros(N)
    for n in range(limit):
        z = z * z + cr[left]
        gone = np.abs(z) > 2.0
        out[left[gone]] = n  # TL331
        left = left[~gone]  # TL331
        z = z[~gone]  # TL331
        if len(z) == 0:
            break


@kernel
def mandelbrot_masked(cr: Tensor[f64, N], out: Tensor[i64, N], limit: int) -> None:
    """The same, each point counting for itself."""
    for i in range(N):
        z = 0.0
        out[i] = 0
        for n in range(limit):
            z = z * z + cr[i]
            if abs(z) > 2.0:
                out[i] = n
                break


@kernel
def crc16(data: Tensor[u8, N]) -> int:
    """A CRC of all bytes, a bit at a time."""
    crc = 0xFFFF
    for i in range(N):
        crc ^= int(data[i])
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1  # TL401
    return crc ^ 0xFFFF


@kernel
def crc16_rows(data: Tensor[u8, M, N], out: Tensor[u32, M]) -> None:
    """The same for each of many messages."""
    for m in range(M):
        crc = 0xFFFF
        for i in range(N):
            crc ^= int(data[m, i])
            for _ in range(8):
                if crc & 1:
                    crc = (crc >> 1) ^ 0x8408
                else:
                    crc >>= 1
        out[m] = u32(crc ^ 0xFFFF)


@kernel
def rc4(key: Tensor[u8, K], text: Tensor[u8, N], out: Tensor[u8, N]) -> None:
    """A stream cipher: a permutation that changes with each byte."""
    assert K > 0
    s = np.arange(256)
    j = 0
    for i in range(256):
        j = (j + s[i] + int(key[i % K])) % 256  # TL401
        s[i], s[j] = s[j], s[i]
    i = 0
    j = 0
    for n in range(N):
        i = (i + 1) % 256
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
        out[n] = text[n] ^ u8(s[(s[i] + s[j]) % 256])


@kernel
def rc4_streams(key: Tensor[u8, M, K], text: Tensor[u8, M, N], out: Tensor[u8, M, N]) -> None:
    """The same for many streams, each with a permutation of its own."""
    assert K > 0
    for m in range(M):
        s = np.zeros(256, dtype=np.int32)
        for v in range(256):
            s[v] = v
        j = 0
        for v in range(256):
            j = (j + s[v] + int(key[m, v % K])) % 256
            s[v], s[j] = s[j], s[v]
        i = 0
        j = 0
        for n in range(N):
            i = (i + 1) % 256
            j = (j + s[i]) % 256
            s[i], s[j] = s[j], s[i]
            out[m, n] = text[m, n] ^ u8(s[(s[i] + s[j]) % 256])


@kernel
def black_scholes(
    price: Tensor[f64, N],
    strike: Tensor[f64, N],
    t: Tensor[f64, N],
    rate: f64,
    vol: f64,
    call: Tensor[f64, N],
    put: Tensor[f64, N],
) -> None:
    """Prices of options by the error function."""
    for i in range(N):
        a = math.log(price[i] / strike[i])
        b = t[i] * -rate
        z = t[i] * vol * vol * 2
        c = 0.25 * z
        y = 1.0 / math.sqrt(z)
        d1 = 0.5 + 0.5 * math.erf((a - b + c) * y)
        d2 = 0.5 + 0.5 * math.erf((a - b - c) * y)
        se = math.exp(b) * strike[i]
        call[i] = price[i] * d1 - se * d2
        put[i] = call[i] - price[i] + se


@kernel
def negative_constants(a: Tensor[f32, N], b: Tensor[f32, 3]) -> None:
    """The last elements by negative subscripts."""
    assert N >= 3
    j = -1
    b[0] = a[-1]
    b[1] = a[j]
    b[2] = a[-3] + a[j - 1]


@kernel
def negative_unknown(a: Tensor[f32, N], index: Tensor[i32, M], b: Tensor[f32, M]) -> None:
    """Subscripts whose sign only the data know."""
    for i in range(M):
        b[i] = a[index[i]] + a[-index[i]]
