"""The gated activation of a transformer's feed-forward block."""

import math

from tl2hip import Tensor, dims, f16, f32, kernel

T, D = dims("T D")


@kernel
def swiglu(gate: Tensor[f16, T, D], up: Tensor[f16, T, D], out: Tensor[f16, T, D]) -> None:
    """out = silu(gate) * up, computed in f32."""
    for t in range(T):
        for d in range(D):
            g = f32(gate[t, d])
            silu = g / (1.0 + math.exp(-g))
            out[t, d] = f16(silu * f32(up[t, d]))
