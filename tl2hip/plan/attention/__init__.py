"""Attention on matrix cores: scores, their softmax and the weighted sums in one pass over keys and values.

`attention` is the plan. The steps, in the order of the files: `find` what the nest says, cut it into a `tile`, the
`side` of keys or values on its way to fragments, the `softmax` in registers, the `loop` over tiles of keys, the
`epilogue`, the whole `kernel`, and the `launch`.
"""

from tl2hip.plan.attention.launch import attention

__all__ = ["attention"]
