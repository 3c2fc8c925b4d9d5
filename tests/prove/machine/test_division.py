"""The compiler's division: its instructions one after the other give IEEE's quotient, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.prove.machine.compiled import every
from tests.prove.machine.drawn import FULL, float_edges
from tests.prove.machine.model import EXEC, VCC, State
from tests.prove.machine.numbers import bits_of, divided, float_of, is_nan
from tl2hip.prove.machine.records import Change, Code, Kind, Source

ONE = {32: 0x3F800000, 64: 0x3FF0000000000000}
X, Y, SCALED, INVERSE, ERROR, UP, QUOTIENT, REST, RESULT = range(0, 18, 2)
"""Rows of the operands and of what is worked out on the way."""


class Sequence:
    """Instructions on rows of one width."""

    def __init__(self, width: int, x: np.ndarray, y: np.ndarray) -> None:
        self.width, self.count = width, width // 32
        self.state = State(np.zeros((512, 64), np.uint32), np.zeros(128, np.uint32), 0)
        self.state.set(EXEC, FULL, 2)
        for row, bits in ((X, x), (Y, y)):
            for i in range(self.count):
                self.state.v[row + i] = bits >> np.uint64(32 * i) & np.uint64(0xFFFFFFFF)

    def do(self, name: str, to: int, *sources: int | str, flag: int | None = None) -> None:
        """`sources` are rows, one below zero negated (-1 - row), or "1"."""
        code = Code()
        code.d = Source(Kind.ROW, 0, 0, 0, to, self.count, 0)
        code.e = Source(Kind.SCALAR, 0, 0, 0, flag or 0, 2, 0)
        for place, source in zip("abc", sources, strict=False):
            if isinstance(source, str):
                setattr(code, place, Source(Kind.CONSTANT, 0, 0, 0, 0, self.count, ONE[self.width]))
            else:
                row, how = (source, 0) if source >= 0 else (-1 - source, Change.NEGATE)
                setattr(code, place, Source(Kind.ROW, how, 0, 0, row, self.count, 0))
        self.state = every().run(f"{name}_f{self.width}", self.state, code)

    def divide(self) -> None:
        """As the compiler prints it (see its assembly of `/`)."""
        minus = -1 - SCALED
        self.do("v_div_scale", SCALED, Y, Y, X, flag=4)
        self.do("v_rcp", INVERSE, SCALED)
        for _ in range(1 if self.width == 32 else 2):
            self.do("v_fma", ERROR, minus, INVERSE, "1")
            self.do("v_fma", INVERSE, ERROR, INVERSE, INVERSE)
        self.do("v_div_scale", UP, X, Y, X, flag=VCC)
        self.do("v_mul", QUOTIENT, UP, INVERSE)
        self.do("v_fma", REST, minus, QUOTIENT, UP)
        if self.width == 32:
            self.do("v_fma", QUOTIENT, REST, INVERSE, QUOTIENT)
            self.do("v_fma", REST, minus, QUOTIENT, UP)
        self.do("v_div_fmas", RESULT, REST, INVERSE, QUOTIENT)
        self.do("v_div_fixup", RESULT, RESULT, Y, X)

    def results(self) -> list[int]:
        return [sum(int(self.state.v[RESULT + i][lane]) << 32 * i for i in range(self.count)) for lane in range(64)]


def _operands(width: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(batch)
    mask = np.uint64((1 << width) - 1)
    if batch < 24:
        edges = np.array(float_edges(width), np.uint64)
        pairs = np.stack(np.meshgrid(edges, edges), -1).reshape(-1, 2)
        pairs = np.resize(pairs, (24 * 64, 2))[batch * 64 : batch * 64 + 64]
        return pairs[:, 0], pairs[:, 1]
    x, y = rng.integers(0, 1 << 64, (2, 64), np.uint64) & mask
    if batch % 3 == 0:  # a quotient that is subnormal, or all but
        mantissa = np.uint64(23 if width == 32 else 52)
        field = np.uint64(0xFF if width == 32 else 0x7FF)
        up = rng.integers(1, 60, 64, np.uint64)
        low = np.uint64((1 << int(mantissa)) - 1)
        bias = np.uint64(int(field) // 2)
        down = np.minimum(up + bias - np.uint64(1) + rng.integers(0, 26, 64, np.uint64), field - np.uint64(1))
        x, y = x & low | up << mantissa, y & low | down << mantissa
    return x, y


@pytest.mark.parametrize("width", [32, 64])
def test_a_division_is_ieees(width: int) -> None:
    wrong, subnormal = [], 0
    for batch in range(120):
        x, y = _operands(width, batch)
        sequence = Sequence(width, x, y)
        sequence.divide()
        for lane, got in enumerate(sequence.results()):
            a, b = float_of(int(x[lane]), width), float_of(int(y[lane]), width)
            expected = divided(a, b, width)
            subnormal += 0 < abs(expected) < 2.0 ** (-126 if width == 32 else -1022)
            if got != bits_of(expected, width) and not (expected != expected and is_nan(got, width)):
                wrong.append(f"{a.hex()} / {b.hex()}: {expected.hex()}, not {float_of(got, width).hex()}")
    assert not wrong, f"{len(wrong)}: " + "; ".join(wrong[:5])
    assert subnormal > 500
