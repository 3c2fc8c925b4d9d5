"""Vector types of printed code: consecutive elements that move by one access of 4, 8 or 16 bytes."""

from __future__ import annotations

from tl2hip.dtypes import BOOL, U8, DType
from tl2hip.hip.context import Used


def vector_type(dtype: DType, width: int, used: Used) -> str:
    """The C name of `width` elements side by side, which is defined from now on; bool moves as bytes."""
    if dtype.bytes * width not in (4, 8, 16):
        raise ValueError(f"{width} elements of {dtype} are not 4, 8 or 16 bytes")
    stored = U8 if dtype is BOOL else dtype
    name = f"{stored}x{width}"
    used.vectors.setdefault(name, f"typedef {stored.c} {name} __attribute__((ext_vector_type({width})));")
    return name
