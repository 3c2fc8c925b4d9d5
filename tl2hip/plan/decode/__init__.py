"""Attention of few queries over cached keys and values: decoding, which reads each key and value once.

`decode` is the plan. The steps, in the order of the files: a `record` of what the nest says,
what it says of `axes`, how it is found (`find`); cut into a `tile`, the `rows` of keys and values on their way to
registers, the `step` over a few keys, the `finish` that puts parts together, the whole `kernel`, and the `launch`.
"""

from tl2hip.plan.decode.launch import decode

__all__ = ["decode"]
