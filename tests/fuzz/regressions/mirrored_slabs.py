"""Slabs that are read in the mirror of where they are written were loaded and stored as one vector."""

PROGRAM = """
@kernel
def mirrored_slabs(z: Tensor[f64, N, K, M]) -> None:
    for i in range(N - 1, -1, -1):
        for j in range(K):
            for k in range(M):
                z[i, j, k] = z[N - 1 - i, j, k] + 1
"""
CASES = (
    ({"N": 5, "K": 3, "M": 64}, "integers"),
    ({"N": 2, "K": 2, "M": 66}, "normal"),
    ({"N": 3, "K": 1, "M": 4}, "edges"),
)
