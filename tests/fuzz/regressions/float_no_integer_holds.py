"""Infinities and NaN stored to integers as whole rows: NumPy gives what its machine gives, and does not raise."""

PROGRAM = """
@kernel
def float_no_integer_holds(x: Tensor[f16, M, N], y: Tensor[i32, N], z: Tensor[i32, M]) -> None:
    y[:] = x[0, :] * 2
    z[:] = x.sum(axis=1)
"""
CASES = (({"M": 3, "N": 64}, "edges"), ({"M": 3, "N": 8}, "edges"), ({"M": 3, "N": 4106}, "coded"))
