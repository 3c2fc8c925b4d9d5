"""np.sign gives 0.0 for -0.0, not -0.0; for bf16, of which ml_dtypes has its own, it gives -0.0."""

PROGRAM = """
@kernel
def sign_of_negative_zero(x: Tensor[f64, N], y: Tensor[f64, N], h: Tensor[f16, N], b: Tensor[bf16, N]) -> None:
    for i in range(N):
        y[i] = np.sign(x[i])
        h[i] = np.sign(h[i])
        b[i] = np.sign(b[i])
"""
CASES = (({"N": 65}, "edges"), ({"N": 5}, "edges"), ({"N": 7}, "integers"))
