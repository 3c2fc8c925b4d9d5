"""Sparse matrices, particles, graphs, sorting."""

import math

import numpy as np
from numpy.typing import NDArray

from tl2hip import Tensor, dims, f32, f64, i32, kernel, u32

M, N, K, D, NNZ, H, W = dims("M N K D NNZ H W")


@kernel
def spmv(
    A_row: Tensor[u32, M + 1], A_col: Tensor[u32, NNZ], A_val: Tensor[f64, NNZ], x: Tensor[f64, N]
) -> NDArray[np.float64]:
    """A sparse matrix by rows times a vector, the row cut out of the arrays."""
    y = np.empty(M, dtype=np.float64)
    for i in range(M):
        cols = A_col[A_row[i] : A_row[i + 1]]
        vals = A_val[A_row[i] : A_row[i + 1]]
        y[i] = vals @ x[cols]
    return y


@kernel
def nbody(pos: Tensor[f32, N, 3], mass: Tensor[f32, N], acc: Tensor[f32, N, 3], eps: f32) -> None:
    """All pairs of bodies."""
    for i in range(N):
        ax, ay, az = f32(0), f32(0), f32(0)
        for j in range(N):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx * dx + dy * dy + dz * dz + eps
            w = mass[j] / (r2 * math.sqrt(r2))
            ax += w * dx
            ay += w * dy
            az += w * dz
        acc[i, 0], acc[i, 1], acc[i, 2] = ax, ay, az


@kernel
def floyd_warshall(path: Tensor[i32, N, N]) -> None:
    """Shortest paths in place, allowing one more point at a time."""
    for k in range(N):
        for i in range(N):
            for j in range(N):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])  # TL402


@kernel
def floyd_warshall_two(path: Tensor[i32, N, N], new: Tensor[i32, N, N]) -> None:
    """The same from one array to another and back."""
    for k in range(N):
        for i in range(N):
            for j in range(N):
                new[i, j] = min(path[i, j], path[i, k] + path[k, j])
        for i in range(N):
            for j in range(N):
                path[i, j] = new[i, j]


@kernel
def nussinov(seq: Tensor[i32, N], table: Tensor[i32, N, N]) -> None:
    """The largest number of matching pairs in each stretch of a sequence."""
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])  # TL402
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                if i < j - 1:
                    pair = 1 if seq[i] + seq[j] == 3 else 0
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])


@kernel
def nussinov_diagonals(seq: Tensor[i32, N], table: Tensor[i32, N, N]) -> None:
    """The same, one diagonal after the other: the stretches of one length do not wait for each other."""
    for length in range(1, N):
        for i in range(N - length):
            j = i + length
            best = max(table[i, j], table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                best = max(best, table[i + 1, j - 1] + (1 if seq[i] + seq[j] == 3 else 0))
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best


@kernel
def bellman_ford(u: Tensor[i32, K], v: Tensor[i32, K], w: Tensor[i32, K], dist: Tensor[i32, N]) -> int:
    """Relaxes every edge N - 1 times; 1 where there is a negative cycle."""
    for _ in range(N - 1):
        for e in range(K):
            if dist[u[e]] + w[e] < dist[v[e]]:  # TL402
                dist[v[e]] = dist[u[e]] + w[e]
    for e in range(K):
        if dist[u[e]] + w[e] < dist[v[e]]:
            return 1
    return 0


@kernel
def bellman_ford_two(
    u: Tensor[i32, K], v: Tensor[i32, K], w: Tensor[i32, K], dist: Tensor[i32, N], new: Tensor[i32, N]
) -> None:
    """The same, each round from one array to another: edges of one round do not use each other."""
    for _ in range(N - 1):
        for n in range(N):
            new[n] = dist[n]
        for e in range(K):
            new[v[e]] = min(new[v[e]], dist[u[e]] + w[e])
        for n in range(N):
            dist[n] = new[n]


@kernel
def dijkstra(graph: Tensor[i32, N, N], dist: Tensor[i32, N], seen: Tensor[bool, N]) -> None:
    """The nearest point that is left, N times."""
    for _ in range(N):
        best = 1 << 30
        at = -1
        for n in range(N):
            if not seen[n] and dist[n] < best:
                best = dist[n]
                at = n
        if at < 0:
            return
        seen[at] = True
        for n in range(N):
            if graph[at, n] > 0 and not seen[n] and dist[at] + graph[at, n] < dist[n]:
                dist[n] = dist[at] + graph[at, n]


@kernel
def bubble_sort(x: Tensor[f32, N]) -> None:
    """Neighbours swapped until they stand in order."""
    for i in range(N):
        for j in range(N - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]  # TL404


@kernel
def odd_even_sort(x: Tensor[f32, N]) -> None:
    """The same with pairs that do not share an element."""
    for t in range(N):
        for p in range((N - t % 2) // 2):
            j = 2 * p + t % 2
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


@kernel
def insertion_sort(x: Tensor[f32, N]) -> None:
    """Each element moved to its place among those before it."""
    for i in range(1, N):
        v = x[i]
        j = i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]  # TL404
            j -= 1
        x[j + 1] = v


@kernel
def insertion_sort_rows(x: Tensor[f32, M, N]) -> None:
    """The same for rows, each in a thread."""
    for r in range(M):
        for i in range(1, N):
            v = x[r, i]
            j = i - 1
            while j >= 0 and x[r, j] > v:
                x[r, j + 1] = x[r, j]
                j -= 1
            x[r, j + 1] = v


@kernel
def quick_sort(x: Tensor[f32, N], low: int, high: int) -> None:
    """Sorts by a pivot and by itself."""
    if low < high:
        p = low
        for i in range(low, high):
            if x[i] < x[high]:
                x[i], x[p] = x[p], x[i]
                p += 1
        x[p], x[high] = x[high], x[p]
        quick_sort(x, low, p - 1)  # TL115
        quick_sort(x, p + 1, high)  # TL115


@kernel
def rank_sort(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """Each element stored where its rank says."""
    rank = np.zeros(N, dtype=np.int32)
    for i in range(N):
        for j in range(N):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                rank[i] += 1
    for i in range(N):
        for j in range(N):
            if rank[j] == i:
                y[i] = x[j]


@kernel
def dbscan(x: Tensor[f32, N, D], eps: f32, label: Tensor[i32, N]) -> None:
    """Clusters grown from a queue."""
    cluster = 0
    for i in range(N):
        if label[i] != 0:
            continue
        queue = [i]
        cluster += 1
        while queue:  # TL340
            p = queue.pop()
            label[p] = cluster
            for q in range(N):
                if label[q] == 0 and np.sum((x[p] - x[q]) ** 2) < eps:
                    queue.append(q)


@kernel
def clusters(x: Tensor[f32, N, D], eps: f32, label: Tensor[i32, N], new: Tensor[i32, N]) -> None:
    """The same by labels: each point takes the least label near it until nothing changes."""
    for i in range(N):
        label[i] = i
    changed = True
    while changed:
        changed = False
        for i in range(N):
            least = label[i]
            for j in range(N):
                s = f32(0)
                for d in range(D):
                    s += (x[i, d] - x[j, d]) ** 2
                if s < eps:
                    least = min(least, label[j])
            new[i] = least
        for i in range(N):
            if new[i] != label[i]:
                changed = True
            label[i] = new[i]


@kernel
def knn(
    train: Tensor[f32, N, D], query: Tensor[f32, M, D], near: Tensor[f32, M, 4], which: Tensor[i32, M, 4]
) -> None:
    """The four nearest of each query, kept in order by insertion."""
    for q in range(M):
        for k in range(4):
            near[q, k] = math.inf
            which[q, k] = -1
        for i in range(N):
            s = f32(0)
            for d in range(D):
                s += (query[q, d] - train[i, d]) ** 2
            if s < near[q, 3]:
                k = 3
                while k > 0 and near[q, k - 1] > s:
                    near[q, k] = near[q, k - 1]
                    which[q, k] = which[q, k - 1]
                    k -= 1
                near[q, k] = s
                which[q, k] = i


@kernel
def queens(n: int, row: int, used: int, left: int, right: int) -> int:
    """Ways to place queens, by itself for each row."""
    if row == n:
        return 1
    total = 0
    for c in range(n):
        if not (used >> c) & 1 and not (left >> (row + c)) & 1 and not (right >> (row - c + n)) & 1:
            total += queens(n, row + 1, used | 1 << c, left | 1 << (row + c), right | 1 << (row - c + n))  # TL115
    return total


@kernel
def permutations(x: Tensor[i32, N]):
    """Every order of x, one after the other."""
    for i in range(N):
        yield x[i]  # TL123
