import numpy as np


def laplace(p, old, target, limit):
    """Each point becomes the mean of its neighbours until the sum of all changes is at most `target`."""
    M = p.shape[0]
    N = p.shape[1]
    # change = target + 1
    change = target + np.float32(1.0)
    steps = 0
    while change > target and steps < limit:
        for i in range(M):
            for j in range(N):
                old[i, j] = p[i, j]
        # change = f32(0)
        change = np.float32(0.0)
        for i in range(1, M - 1):
            for j in range(1, N - 1):
                # p[i, j] = 0.25 * (old[i, j - 1] + old[i, j + 1] + old[i - 1, j] + old[i + 1, j])
                p[i, j] = np.float32(0.25) * (old[i, j - 1] + old[i, j + 1] + old[i - 1, j] + old[i + 1, j])
                # change += abs(p[i, j] - old[i, j])
                change = change + abs(p[i, j] - old[i, j])
        # steps += 1
        steps = steps + 1
    # return steps
    result = np.empty((1,), np.int64)
    result[0] = steps
    return result[0]
