"""Attention scores where several heads of queries share one of keys."""

from tl2hip import Tensor, bf16, dims, f32, kernel

B, H, S, T, D = dims("B H S T D")


@kernel
def grouped_scores(
    Q: Tensor[bf16, B, 2 * H, S, D], K: Tensor[bf16, B, H, T, D], scores: Tensor[bf16, B, 2 * H, S, T], scale: f32
) -> None:
    """scores = scale * Q @ K.T for each head, two heads of Q for each of K."""
    for b in range(B):
        for h in range(2 * H):
            for s in range(S):
                for t in range(T):
                    total = f32(0)
                    for d in range(D):
                        total += f32(Q[b, h, s, d]) * f32(K[b, h // 2, t, d])
                    scores[b, h, s, t] = bf16(scale * total)
