"""A product with a vector, then a nest that stores the vector: both kernels name vectors of it, of two widths."""

PROGRAM = """
@kernel
def vectors_named_twice(A: Tensor[f32, N, K], B: Tensor[f32, K], C: Tensor[f32, N], D: Tensor[i64, K]) -> None:
    for i in range(N):
        C[i] = A[i, :] @ B
    for i in range(K):
        B[i] = D[i]
"""
CASES = (({"N": 3, "K": 300}, "integers"), ({"N": 65, "K": 64}, "normal"))
