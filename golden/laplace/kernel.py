"""Laplace's equation on a plate: relaxed until it settles."""

from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def laplace(p: Tensor[f32, M, N], old: Tensor[f32, M, N], target: f32, limit: int) -> int:
    """Each point becomes the mean of its neighbours until the sum of all changes is at most `target`."""
    change = target + 1
    steps = 0
    while change > target and steps < limit:
        for i in range(M):
            for j in range(N):
                old[i, j] = p[i, j]
        change = f32(0)
        for i in range(1, M - 1):
            for j in range(1, N - 1):
                p[i, j] = 0.25 * (old[i, j - 1] + old[i, j + 1] + old[i - 1, j] + old[i + 1, j])
                change += abs(p[i, j] - old[i, j])
        steps += 1
    return steps
