"""Rows of a table, picked by number."""

from tl2hip import Tensor, bf16, dims, i64, kernel

T, V, D = dims("T V D")


@kernel
def embedding_gather(token: Tensor[i64, T], table: Tensor[bf16, V, D], out: Tensor[bf16, T, D]) -> None:
    """out[t] = table[token[t]]."""
    for t in range(T):
        out[t, :] = table[token[t], :]
