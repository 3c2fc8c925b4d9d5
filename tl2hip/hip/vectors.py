"""Vector types of printed code: consecutive elements side by side in registers."""

from __future__ import annotations

from tl2hip.dtypes import BOOL, U8, DType
from tl2hip.hip.context import Used

WHOLE_REGISTERS = (4, 8, 16, 32, 64, 128)
"""Bytes of vectors. Only those of 4, 8 and 16 move between memory and registers by one access."""


def vector_type(dtype: DType, width: int, used: Used, *, aligned: bool = True) -> str:
    """The C name of `width` elements side by side, which is defined from now on; bool moves as bytes. Where not
    `aligned`, the type of such a vector in memory that starts at any element."""
    if dtype.bytes * width not in WHOLE_REGISTERS:
        raise ValueError(f"{width} elements of {dtype} are not 4 to 128 bytes")
    stored = U8 if dtype is BOOL else dtype
    name = f"{stored}x{width}" if aligned else f"{stored}x{width}_any"
    how = f"ext_vector_type({width})" if aligned else f"ext_vector_type({width}), aligned({stored.bytes})"
    used.vectors.setdefault(name, f"typedef {stored.c} {name} __attribute__(({how}));")
    return name
