"""The compiler's division: its instructions one after the other give IEEE's quotient, bit for bit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np
import pytest

from tests.prove.machine.compiled import every
from tests.prove.machine.drawn import FULL, float_edges
from tests.prove.machine.model import EXEC, VCC, State
from tests.prove.machine.numbers import bits_of, divided, float_of, is_nan, root
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine import assembly
from tl2hip.prove.machine.library import MachineLibrary
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

    def divide(self, steps: int | None = None) -> None:
        """As the compiler prints it (see its assembly of `/`), with so many steps of Newton's."""
        steps = self.width // 32 if steps is None else steps
        minus = -1 - SCALED
        self.do("v_div_scale", SCALED, Y, Y, X, flag=4)
        self.do("v_rcp", INVERSE, SCALED)
        for _ in range(steps):
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


def _near_two(width: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Divisors, and numbers to divide, whose mantissas are all ones but for a few: the steps round worst there."""
    rng = np.random.default_rng(batch)
    one = np.uint64(ONE[width])
    mantissa = np.uint64(23 if width == 32 else 52)
    x, y = (one | ((np.uint64(1) << mantissa) - np.uint64(1)) - rng.integers(0, n, 64, np.uint64) for n in (90, 9))
    return x, y


def _beside_a_middle(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Doubles whose quotient lies beside the middle of two others, as near as one can: y is odd, and the middle is
    one over it, or less than that, but for multiples of 2**54, so that it times y is x * 2**54 and one more or
    less."""
    rng = np.random.default_rng(0)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < count:
        y, more = int(rng.integers(1 << 52, 1 << 53)) | 1, 1 - len(pairs) % 2 * 2
        middle = pow(more * y, -1, 1 << 54)
        x = (middle * y - more) >> 54
        if middle >> 53 and x >> 52:
            pairs.append((bits_of(float(x), 64), bits_of(float(y), 64)))
    x, y = np.ascontiguousarray(np.array(pairs, np.uint64).T)
    return x, y


def _wrong(width: int, batches: Iterable[tuple[np.ndarray, np.ndarray]], steps: int | None = None) -> list[str]:
    """Quotients that are not IEEE's."""
    wrong = []
    for x, y in batches:
        sequence = Sequence(width, x, y)
        sequence.divide(steps)
        for lane, got in enumerate(sequence.results()):
            a, b = float_of(int(x[lane]), width), float_of(int(y[lane]), width)
            expected = divided(a, b, width)
            if got != bits_of(expected, width) and not (expected != expected and is_nan(got, width)):
                wrong.append(f"{a.hex()} / {b.hex()}: {expected.hex()}, not {float_of(got, width).hex()}")
    return wrong


@pytest.mark.parametrize("width", [32, 64])
def test_a_division_is_ieees(width: int) -> None:
    batches = [*(_operands(width, n) for n in range(120)), *(_near_two(width, n) for n in range(20))]
    batches += [_beside_a_middle(64)] * (width == 64)
    wrong = _wrong(width, batches)
    assert not wrong, f"{len(wrong)}: " + "; ".join(wrong[:5])
    least = 2.0 ** (-126 if width == 32 else -1022)
    quotients = (
        abs(divided(float_of(int(a), width), float_of(int(b), width), width))
        for x, y in batches for a, b in zip(x, y, strict=True)
    )  # fmt: skip
    assert sum(0 < one < least for one in quotients) > 500


def test_a_step_that_is_left_out_of_a_division_shows() -> None:
    assert len(_wrong(64, [_beside_a_middle(64)], steps=1)) > 20
    assert len(_wrong(64, [_operands(64, n) for n in range(24, 44)], steps=0)) > 500


@pytest.mark.parametrize("name", ["v_rcp", "v_rsq", "v_sqrt"])
def test_what_is_promised_to_be_rough_is_as_rough(name: str) -> None:
    """2**29 units in the last place, and nothing of the sort for a power of two, an infinity or a zero."""
    rng = np.random.default_rng(0)
    x = rng.integers(0x3F00 << 48, 0x40F0 << 48, 64, np.uint64)
    exact = {"v_rcp": lambda a: divided(1.0, a, 64), "v_sqrt": lambda a: root(a, 64)}
    expected = exact.get(name, lambda a: root(a, 64, inverse=True))
    sequence = Sequence(64, x, x)
    sequence.do(name, RESULT, X)
    far = [abs(got - bits_of(expected(float_of(int(a), 64)), 64))
           for a, got in zip(x, sequence.results(), strict=True)]  # fmt: skip
    assert max(far) <= 1 << 29 and sum(one > 1 << 27 for one in far) > 32
    x[:] = np.resize(np.array([bits_of(one, 64) for one in (0.0, 1.0, 4.0, math.inf)], np.uint64), 64)
    sequence = Sequence(64, x, x)
    sequence.do(name, RESULT, X)
    assert sequence.results()[:4] == [bits_of(expected(one), 64) for one in (0.0, 1.0, 4.0, math.inf)]


TEXT = """
#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(64) void k(const double *x, const double *y, double *z)
{
    unsigned i = threadIdx.x;
    z[i] = FORMULA;
}
extern "C" hipError_t launch(const double *x, const double *y, double *z, hipStream_t stream)
{
    hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, stream, x, y, z);
    return hipGetLastError();
}
"""
STEP = re.compile(r"\tv_fmac_f64.*")
FORMULAS = {"x[i] / y[i]": (1, np.divide), "__builtin_sqrt(x[i])": (2, lambda x, _: np.sqrt(x))}
"""With the last steps that the result cannot do without."""


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_step_that_is_left_out_of_compiled_code_shows(formula: str) -> None:
    needed, expected = FORMULAS[formula]
    text = TEXT.replace("FORMULA", formula)
    x, y = (one.view(np.float64) for one in _beside_a_middle(64))
    z = np.zeros(64)
    with MachineLibrary(text) as library:
        library.call("launch", [x, y, z])
    assert np.array_equal(z, expected(x, y))
    lines = compile_device(text).text.split("\n")
    for at in [at for at, line in enumerate(lines) if STEP.fullmatch(line)][-needed:]:
        lines[at] = "\ts_nop 0"
    with MachineLibrary(text, program=assembly.read("\n".join(lines))) as library:
        library.call("launch", [x, y, z])
    assert not np.array_equal(z, expected(x, y))
