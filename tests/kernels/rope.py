"""Rotary embedding: pairs of a row turned by an angle of their own."""

from tl2hip import Tensor, dims, f32, kernel

T, D, P = dims("T D P")


@kernel
def rope(q: Tensor[f32, T, D], cosine: Tensor[f32, T, P], sine: Tensor[f32, T, P]) -> None:
    """Turns q[t, 2p] and q[t, 2p + 1] in place."""
    assert D == 2 * P
    for t in range(T):
        for d in range(0, D, 2):
            c, s = cosine[t, d // 2], sine[t, d // 2]
            x, y = q[t, d], q[t, d + 1]
            q[t, d], q[t, d + 1] = x * c - y * s, x * s + y * c
