"""An array that has the name which the plan of sums down columns would give to its loop over tiles."""

PROGRAM = """
@kernel
def array_called_as_a_tile(A: Tensor[f32, N, K], k_tile: Tensor[f32, K]) -> None:
    for k in range(K):
        s = f32(0)
        for n in range(N):
            s += A[n, k]
        k_tile[k] = s
"""
CASES = (({"N": 65, "K": 65}, "normal"), ({"N": 3, "K": 300}, "edges"))
