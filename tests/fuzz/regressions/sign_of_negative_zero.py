"""np.sign gives 0.0 for -0.0, not -0.0."""

PROGRAM = """
@kernel
def sign_of_negative_zero(x: Tensor[f64, N], y: Tensor[f64, N], h: Tensor[f16, N], g: Tensor[f16, N]) -> None:
    for i in range(N):
        y[i] = np.sign(x[i])
        g[i] = np.sign(h[i])
"""
CASES = (({"N": 65}, "edges"), ({"N": 5}, "edges"), ({"N": 7}, "integers"))
