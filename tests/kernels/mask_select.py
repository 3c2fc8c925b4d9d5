"""One of two arrays, element by element."""

from tl2hip import Tensor, bool_, f16, kernel


@kernel
def mask_select(mask: Tensor[bool_, :], a: Tensor[f16, :], b: Tensor[f16, :], out: Tensor[f16, :]) -> None:
    """out[i] is a[i] where mask[i], else b[i]."""
    (n,) = mask.shape
    for i in range(n):
        out[i] = a[i] if mask[i] else b[i]
