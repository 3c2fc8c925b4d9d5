"""A load of A[i - 1] beside A[i], which a vector holds, was taken for the place of that vector."""

PROGRAM = """
@kernel
def shifted_load_beside_vector(A: Tensor[f32, N], B: Tensor[f32, N]) -> None:
    for i in range(N):
        B[i] = A[i] - A[i - 1]
"""
CASES = (({"N": 64}, "integers"), ({"N": 63}, "normal"), ({"N": 1}, "edges"))
