"""Zeros of both signs meet in a max that is spelled as a test: the sign of the last or of the first one is kept by
no order but the user's, as with `max`."""

PROGRAM = """
@kernel
def zero_of_a_guarded_max(x: Tensor[f32, N, M], z: Tensor[f32, N], w: Tensor[f32, N], v: Tensor[f32, N]) -> None:
    for i in range(N):
        t = f32(0)
        for j in range(M):
            if x[i, j] >= t:
                t = x[i, j]
        z[i] = t
        u = f32(0)
        for j in range(M):
            u = x[i, j] if u >= x[i, j] else u
        w[i] = u
        s = f32(0)
        for j in range(M):
            if s < x[i, j]:
                s = x[i, j]
        v[i] = s
"""
CASES = (({"N": 65, "M": 1}, "edges"), ({"N": 65, "M": 3}, "edges"), ({"N": 7, "M": 70}, "extremes"))
