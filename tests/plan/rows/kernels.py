"""Kernels that run loops over one row for each point of the grid, as users write them."""

import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f8e4m3, f16, f32, i8, i32, i64, kernel

B, M, N = dims("B M N")


@kernel
def softmax(X: Tensor[f16, M, N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, f32(X[i, j]))
        total = f32(0)
        for j in range(N):
            total += np.exp(f32(X[i, j]) - m)
        for j in range(N):
            Y[i, j] = f16(np.exp(f32(X[i, j]) - m) / total)


@kernel
def softmax_in_place(X: Tensor[f32, M, N]) -> None:
    for i in range(M):
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, X[i, j])
        total = f32(0)
        for j in range(N):
            X[i, j] = np.exp(X[i, j] - m)
            total += X[i, j]
        for j in range(N):
            X[i, j] /= total


@kernel
def softmax_arrays(X: Tensor[f16, M, N], Y: Tensor[f16, M, N]) -> None:
    for i in range(M):
        x = f32(X[i, :])
        e = np.exp(x - x.max())
        Y[i, :] = f16(e / e.sum())


@kernel
def log_softmax(X: Tensor[f32, B, M, N], Y: Tensor[f32, B, M, N]) -> None:
    for b in range(B):
        for i in range(M):
            m = X[b, i, :].max()
            s = np.exp(X[b, i, :] - m).sum()
            Y[b, i, :] = X[b, i, :] - m - np.log(s)


@kernel
def rmsnorm(X: Tensor[bf16, M, N], weight: Tensor[bf16, N], Y: Tensor[bf16, M, N], eps: f32) -> None:
    for i in range(M):
        x = f32(X[i, :])
        scale = 1 / np.sqrt(np.mean(x * x) + eps)
        Y[i, :] = bf16(x * scale * f32(weight))


@kernel
def layernorm(
    X: Tensor[f16, M, N], weight: Tensor[f32, N], bias: Tensor[f32, N], Y: Tensor[f16, M, N], eps: f32
) -> None:
    for i in range(M):
        s = f32(0)
        q = f32(0)
        for j in range(N):
            x = f32(X[i, j])
            s += x
            q += x * x
        mean = s / N
        scale = 1 / np.sqrt(q / N - mean * mean + eps)
        for j in range(N):
            Y[i, j] = f16((f32(X[i, j]) - mean) * scale * weight[j] + bias[j])


@kernel
def argmax(X: Tensor[f32, M, N], value: Tensor[f32, M], index: Tensor[i32, M]) -> None:
    for i in range(M):
        best = f32(-math.inf)
        where = 0
        for j in range(N):
            if X[i, j] > best:
                best = X[i, j]
                where = j
        value[i] = best
        index[i] = where


@kernel
def cross_entropy(X: Tensor[f32, M, N], t: Tensor[i64, M], loss: Tensor[f32, M]) -> None:
    for i in range(M):
        m = X[i, :].max()
        s = np.exp(X[i, :] - m).sum()
        loss[i] = np.log(s) + m - X[i, t[i]]


@kernel
def quantised(X: Tensor[f16, M, N], scale: Tensor[f32, M], Y: Tensor[i8, M, N]) -> None:
    for i in range(M):
        most = f32(0)
        for j in range(N):
            most = max(most, abs(f32(X[i, j])))
        s = most / 127
        scale[i] = s
        for j in range(N):
            Y[i, j] = i8(np.rint(f32(X[i, j]) / s)) if s > 0 else i8(0)


@kernel
def quantised_fp8(X: Tensor[f32, M, N], scale: Tensor[f32, M], Y: Tensor[f8e4m3, M, N]) -> None:
    for i in range(M):
        s = np.abs(X[i, :]).max() / f32(240)
        scale[i] = s
        for j in range(N):
            Y[i, j] = f8e4m3(X[i, j] / s)


@kernel
def clipped(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        least = f32(math.inf)
        for j in range(N):
            least = min(least, X[i, j])
        for j in range(N):
            if X[i, j] > least + f32(j):
                Y[i, j] = least


@kernel
def norms(X: Tensor[f32, M, N], out: Tensor[f32, M]) -> None:
    for i in range(M):
        for j in range(N):
            out[i] += abs(X[i, j])


@kernel
def shifted(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += X[i, j]
        for j in range(N - 1):
            Y[i, j] = X[i, j + 1] - s


@kernel
def seen_elsewhere(Y: Tensor[f32, M, N]) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            Y[i, j] = abs(Y[i, j])
        for j in range(N):
            s += Y[i, N - 1 - j] * f32(j)
        for j in range(N):
            Y[i, j] -= s


@kernel
def grouped(X: Tensor[f16, M, 64 * N], scale: Tensor[f32, M, N], Y: Tensor[i8, M, 64 * N]) -> None:
    for i in range(M):
        for g in range(N):
            most = f32(0)
            for j in range(64):
                most = max(most, abs(f32(X[i, 64 * g + j])))
            s = most / 127
            scale[i, g] = s
            for j in range(64):
                Y[i, 64 * g + j] = i8(np.rint(f32(X[i, 64 * g + j]) / s)) if s > 0 else i8(0)
