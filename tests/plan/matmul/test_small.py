"""Small integers become f16 exactly: every value of every kind of bits, in NumPy's f16."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tl2hip.dtypes import F16, I8, I32, U8
from tl2hip.nest.ir import Binary, Cast, Const, Expr, Load
from tl2hip.plan.matmul.small import small
from tl2hip.plan.matrix_ir import Bits

BYTE, SIGNED = Load("Q", (), U8, True), Load("Q", (), I8, True)
KINDS = [
    (shift, bits, flip, add)
    for shift, bits in itertools.product(range(8), range(1, 9))
    if shift + bits <= 8
    for flip in (0, 1 << bits - 1)
    for add in (0, -(1 << bits - 1), 100)
]


@pytest.mark.parametrize(("shift", "bits", "flip", "add"), KINDS)
def test_every_value_is_exact(shift: int, bits: int, flip: int, add: int) -> None:
    """1024 with the bits behind it, divided, less what is left of 1024: each of the two steps is exact in f16."""
    b = Bits(BYTE, shift, bits, flip, add)
    raw = np.arange(1 << bits, dtype=np.uint16)
    halves = (np.uint16(0x6400) | (raw ^ np.uint16(flip)) << np.uint16(shift)).view(np.float16)
    divided = halves * np.float16(1 / (1 << shift))
    assert np.float16(b.left) == b.left
    assert ((divided + np.float16(b.left)).astype(int) == (raw.astype(int) ^ flip) + add).all()


def _shifted(load: Load, by: int) -> Expr:
    return Binary(">>", Cast(load, I32), Const(by, I32))


def test_what_is_read_out_of_an_expression() -> None:
    assert small(Cast(_shifted(BYTE, 4), F16)) == Bits(BYTE, 4, 4, 0, 0)
    assert small(Cast(_shifted(SIGNED, 4), F16)) == Bits(SIGNED, 4, 4, 8, -8)
    assert small(Cast(SIGNED, F16)) == Bits(SIGNED, 0, 8, 128, -128)
    assert small(Binary("-", Cast(BYTE, F16), Const(8.0, F16))) == Bits(BYTE, 0, 8, 0, -8)


def test_what_is_not_exact_is_left() -> None:
    """Not all of them integers of f16, none at all, or bits of two bytes."""
    assert small(Cast(Binary("+", Cast(BYTE, I32), Const(2000, I32)), F16)) is None
    assert small(Binary("-", Cast(BYTE, F16), Const(0.5, F16))) is None
    assert small(Cast(Binary("-", BYTE, Const(8, U8)), F16)) is None
    wide = Load("Q", (), I32, True)
    across = Binary("&", Binary(">>", wide, Const(6, I32)), Const(15, I32))
    assert small(Cast(across, F16)) is None
    assert small(Cast(wide, F16)) is None
