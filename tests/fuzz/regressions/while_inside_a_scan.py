"""A scan with a `while` in its body, whose test reads what only the `while` itself changes."""

PROGRAM = """
@kernel
def while_inside_a_scan(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
        q = 0
        while q < 2:
            s += x[i]
            q += 1
        y[i] = s
"""
CASES = (({"N": 17}, "integers"), ({"N": 300}, "normal"), ({"N": 5000}, "integers"))
