"""An index loaded at each element was a vector itself, and the row it gives was taken for one of a vector too."""

PROGRAM = """
@kernel
def row_found_by_a_widened_index(A: Tensor[f32, M, N], idx: Tensor[i64, N], t: Tensor[f32, K, N]) -> None:
    for i in range(K):
        for j in range(N):
            t[i, j] = A[idx[j], j]
"""
CASES = (
    ({"K": 64, "M": 5, "N": 130}, "integers"),
    ({"K": 7, "M": 3, "N": 9}, "normal"),
    ({"K": 3, "M": 0, "N": 4}, "edges"),
    ({"K": 1, "M": 2, "N": 1}, "integers"),
)
