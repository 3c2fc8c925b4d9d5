"""Sequences read out of a paged key-value cache."""

from tl2hip import Tensor, dims, f16, i32, kernel

S, T, D, PAGES, PAGE, L = dims("S T D PAGES PAGE L")


@kernel
def paged_gather(
    cache: Tensor[f16, PAGES, PAGE, D], table: Tensor[i32, S, L], out: Tensor[f16, S, T, D]
) -> None:
    """out[s, t] is token t of sequence s; table[s, b] says which page holds its tokens from b * PAGE on."""
    assert T <= L * PAGE
    for s in range(S):
        for t in range(T):
            page = table[s, t // PAGE]
            slot = t % PAGE
            for d in range(D):
                out[s, t, d] = cache[page, slot, d]
