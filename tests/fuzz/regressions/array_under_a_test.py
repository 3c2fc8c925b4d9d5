"""An array of its own, made under a test in a loop of the launcher: it had no place in the group's one block."""

PROGRAM = """
@kernel
def array_under_a_test(x: Tensor[f32, N, M], y: Tensor[f32, N], c: Tensor[f32, N]) -> None:
    for i in range(N):
        if y[i] > 0:
            for j in range(M):
                a = x[:1] + 3
                x[:1] = a
        if y[i] < 1:
            b = np.zeros(4, np.float32)
            for j in range(4):
                b[j] = x[0, 0] + j
            c[i] = b[1] + b[3]
            x[0, 0] = b[2]
"""
CASES = (({"N": 5, "M": 3}, "normal"), ({"N": 3, "M": 65}, "integers"), ({"N": 2, "M": 0}, "normal"))
