"""Dense linear algebra."""

import math

import numpy as np

from tl2hip import Tensor, dims, f32, kernel

M, N, K, L, P = dims("M N K L P")


@kernel
def gemm(alpha: f32, beta: f32, A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, M, N]) -> None:
    """C = alpha * A @ B + beta * C, k between i and j."""
    for i in range(M):
        for j in range(N):
            C[i][j] *= beta
        for k in range(K):
            for j in range(N):
                C[i][j] += alpha * A[i][k] * B[k][j]


class Blas:
    """A benchmark that keeps its sizes in itself."""

    N: int

    @kernel
    def scale(self, A: Tensor[f32, N], alpha: f32) -> None:  # TL110
        """A *= alpha."""
        for i in range(self.N):
            A[i] *= alpha


@kernel
def scale(A: Tensor[f32, N], alpha: f32) -> None:
    """A *= alpha, the size being that of A."""
    for i in range(len(A)):
        A[i] *= alpha


@kernel
def three_mm(
    A: Tensor[f32, M, K], B: Tensor[f32, K, N], C: Tensor[f32, N, P], D: Tensor[f32, P, L], G: Tensor[f32, M, L]
) -> None:
    """G = (A @ B) @ (C @ D)."""
    E = np.zeros((M, N), dtype=np.float32)
    F = np.zeros((N, L), dtype=np.float32)
    for i in range(M):
        for j in range(N):
            for k in range(K):
                E[i, j] += A[i, k] * B[k, j]
    for i in range(N):
        for j in range(L):
            for k in range(P):
                F[i, j] += C[i, k] * D[k, j]
    for i in range(M):
        for j in range(L):
            G[i, j] = 0
            for k in range(N):
                G[i, j] += E[i, k] * F[k, j]


@kernel
def syr2k(alpha: f32, beta: f32, A: Tensor[f32, N, M], B: Tensor[f32, N, M], C: Tensor[f32, N, N]) -> None:
    """The lower triangle of C = alpha * (A @ B.T + B @ A.T) + beta * C."""
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(M):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]


@kernel
def trmm(alpha: f32, A: Tensor[f32, M, M], B: Tensor[f32, M, N]) -> None:
    """B = alpha * A.T @ B in place, A unit lower triangular."""
    for i in range(M):
        for j in range(N):
            for k in range(i + 1, M):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]


@kernel
def symm(alpha: f32, beta: f32, A: Tensor[f32, M, M], B: Tensor[f32, M, N], C: Tensor[f32, M, N]) -> None:
    """C = alpha * A @ B + beta * C, A symmetric and kept in its lower triangle."""
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                s += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * s


@kernel
def symm_gathered(alpha: f32, beta: f32, A: Tensor[f32, M, M], B: Tensor[f32, M, N], C: Tensor[f32, M, N]) -> None:
    """The same, each element of C adding up what belongs to it."""
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(M):
                s += B[k, j] * (A[i, k] if k <= i else A[k, i])
            C[i, j] = beta * C[i, j] + alpha * s


@kernel
def gemver(
    alpha: f32,
    beta: f32,
    A: Tensor[f32, N, N],
    u1: Tensor[f32, N],
    v1: Tensor[f32, N],
    u2: Tensor[f32, N],
    v2: Tensor[f32, N],
    w: Tensor[f32, N],
    x: Tensor[f32, N],
    y: Tensor[f32, N],
    z: Tensor[f32, N],
) -> None:
    """A += u1 v1' + u2 v2'; x += beta * A' y + z; w += alpha * A x."""
    for i in range(N):
        for j in range(N):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(N):
        for j in range(N):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(N):
        x[i] = x[i] + z[i]
    for i in range(N):
        for j in range(N):
            w[i] = w[i] + alpha * A[i, j] * x[j]


@kernel
def gesummv(
    alpha: f32, beta: f32, A: Tensor[f32, N, N], B: Tensor[f32, N, N], x: Tensor[f32, N], y: Tensor[f32, N]
) -> None:
    """y = alpha * A @ x + beta * B @ x, both sums in one loop."""
    t = np.zeros(N, dtype=np.float32)
    for i in range(N):
        y[i] = 0
        for j in range(N):
            t[i] = A[i, j] * x[j] + t[i]
            y[i] = B[i, j] * x[j] + y[i]
        y[i] = alpha * t[i] + beta * y[i]


@kernel
def atax(A: Tensor[f32, M, N], x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """y = A.T @ (A @ x)."""
    for j in range(N):
        y[j] = 0
    for i in range(M):
        t = f32(0)
        for j in range(N):
            t = t + A[i, j] * x[j]
        for j in range(N):
            y[j] = y[j] + A[i, j] * t


@kernel
def bicg(A: Tensor[f32, N, M], s: Tensor[f32, M], q: Tensor[f32, N], p: Tensor[f32, M], r: Tensor[f32, N]) -> None:
    """s = A.T @ r and q = A @ p, in one body."""
    for i in range(M):
        s[i] = 0
    for i in range(N):
        q[i] = 0
        for j in range(M):
            s[j] = s[j] + r[i] * A[i, j]
            q[i] = q[i] + A[i, j] * p[j]


@kernel
def mvt(
    x1: Tensor[f32, N], x2: Tensor[f32, N], y1: Tensor[f32, N], y2: Tensor[f32, N], A: Tensor[f32, N, N]
) -> None:
    """x1 += A @ y1 and x2 += A.T @ y2."""
    for i in range(N):
        for j in range(N):
            x1[i] = x1[i] + A[i, j] * y1[j]
    for i in range(N):
        for j in range(N):
            x2[i] = x2[i] + A[j, i] * y2[j]


@kernel
def doitgen(A: Tensor[f32, M, N, K], C: Tensor[f32, K, K]) -> None:
    """A[r, q, :] = A[r, q, :] @ C, through one row that all r and q share."""
    row = np.zeros(K, dtype=np.float32)
    for r in range(M):
        for q in range(N):
            for p in range(K):
                row[p] = 0
                for s in range(K):
                    row[p] += A[r, q, s] * C[s, p]
            for p in range(K):
                A[r, q, p] = row[p]


@kernel
def covariance(data: Tensor[f32, N, M], cov: Tensor[f32, M, M]) -> None:
    """The covariance of the columns; data is centred in place."""
    mean = np.zeros(M, dtype=np.float32)
    for j in range(M):
        for i in range(N):
            mean[j] += data[i, j]
        mean[j] /= N
    for i in range(N):
        for j in range(M):
            data[i, j] -= mean[j]
    for i in range(M):
        for j in range(i, M):
            cov[i, j] = 0
            for k in range(N):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= N - 1.0
            cov[j, i] = cov[i, j]


@kernel
def correlation(data: Tensor[f32, N, M], corr: Tensor[f32, M, M]) -> None:
    """The correlation of the columns; columns that hardly vary count as of deviation 1."""
    mean = np.zeros(M, dtype=np.float32)
    stddev = np.zeros(M, dtype=np.float32)
    for j in range(M):
        for i in range(N):
            mean[j] += data[i, j]
        mean[j] /= N
    for j in range(M):
        for i in range(N):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        stddev[j] = math.sqrt(stddev[j] / N)
        stddev[j] = 1.0 if stddev[j] <= 0.1 else stddev[j]
    for i in range(N):
        for j in range(M):
            data[i, j] = (data[i, j] - mean[j]) / (math.sqrt(N) * stddev[j])
    for i in range(M - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, M):
            corr[i, j] = 0.0
            for k in range(N):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[M - 1, M - 1] = 1.0


@kernel
def gramschmidt(A: Tensor[f32, M, N], R: Tensor[f32, N, N], Q: Tensor[f32, M, N]) -> None:
    """A = Q @ R, column by column; A is overwritten."""
    for k in range(N):
        norm = f32(0)
        for i in range(M):
            norm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(norm)
        for i in range(M):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, N):
            R[k, j] = 0
            for i in range(M):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(M):
                A[i, j] = A[i, j] - Q[i, k] * R[k, j]


@kernel
def cholesky(A: Tensor[f32, N, N]) -> None:
    """The lower triangle of A becomes L with L @ L.T = A."""
    for i in range(N):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]  # TL402
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


@kernel
def cholesky_by_columns(A: Tensor[f32, N, N]) -> None:
    """The same, a column at a time: its elements do not wait for each other."""
    for k in range(N):
        A[k, k] = math.sqrt(A[k, k])
        for i in range(k + 1, N):
            A[i, k] /= A[k, k]
        for i in range(k + 1, N):
            for j in range(k + 1, i + 1):
                A[i, j] -= A[i, k] * A[j, k]


@kernel
def lu(A: Tensor[f32, N, N]) -> None:
    """A becomes its unit lower and its upper factor."""
    for i in range(N):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]  # TL402
            A[i, j] /= A[j, j]
        for j in range(i, N):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]


@kernel
def lu_outwards(A: Tensor[f32, N, N]) -> None:
    """The same, a rank-1 update at a time."""
    for k in range(N):
        for i in range(k + 1, N):
            A[i, k] /= A[k, k]
        for i in range(k + 1, N):
            for j in range(k + 1, N):
                A[i, j] -= A[i, k] * A[k, j]


@kernel
def ludcmp(A: Tensor[f32, N, N], b: Tensor[f32, N], x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """Solves A x = b by factors, forward and then backward substitution."""
    for i in range(N):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, N):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(N):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(N - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, N):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]


@kernel
def trisolv(L: Tensor[f32, N, N], x: Tensor[f32, N], b: Tensor[f32, N]) -> None:
    """L x = b, L lower triangular."""
    for i in range(N):
        x[i] = b[i]  # TL402
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]


@kernel
def trisolv_by_columns(L: Tensor[f32, N, N], x: Tensor[f32, N], b: Tensor[f32, N]) -> None:
    """The same, each solved element taken out of all equations below."""
    for i in range(N):
        x[i] = b[i]
    for j in range(N):
        x[j] /= L[j, j]
        for i in range(j + 1, N):
            x[i] -= L[i, j] * x[j]


@kernel
def durbin(r: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """The Yule-Walker equations by Durbin's recursion."""
    z = np.zeros(N, dtype=np.float32)
    y[0] = -r[0]
    beta = f32(1)
    alpha = -r[0]
    for k in range(1, N):
        beta = (1 - alpha * alpha) * beta
        s = f32(0)
        for i in range(k):
            s += r[k - i - 1] * y[i]
        alpha = -(r[k] + s) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
