"""A tile that leaves each lane two elements of one byte: no vector is so short."""

PROGRAM = """
@kernel
def lanes_of_bytes(x: Tensor[i8, M, N], y: Tensor[i8, M, N], z: Tensor[i8, N]) -> None:
    j: Tile[int, 128]
    k: Tile[int, 128]
    for i in range(M):
        for j in range(N):
            y[i, j] = x[i, j] + 1
    for k in range(N):
        z[k] = x[0, k]
"""
CASES = (({"M": 2, "N": 300}, "integers"), ({"M": 1, "N": 128}, "coded"), ({"M": 3, "N": 5}, "integers"))
