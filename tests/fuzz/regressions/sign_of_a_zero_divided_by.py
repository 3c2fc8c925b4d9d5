"""A zero of either sign that is divided by: inf and -inf are both right."""

PROGRAM = """
@kernel
def sign_of_a_zero_divided_by(a: Tensor[f32, N], x: Tensor[f32, N], y: Tensor[f32, N], D: Tensor[f32, N]) -> None:
    for i in range(N):
        D[i] = a[i] / np.minimum(x[i], y[i])
        D[i] += a[i] // np.maximum(x[i], y[i])
"""
CASES = (({"N": 65}, "edges"), ({"N": 257}, "extremes"), ({"N": 64}, "one-hot"))
