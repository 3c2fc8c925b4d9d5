"""Linear algebra over bits: a vector is an int, addition is xor, a matrix is its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Solver:
    """The columns brought to a form that answers questions about them.

    `pivots` maps a leading bit to (a vector with that leading bit, the set of columns that xor to it). `kernel`
    has for each dependent column the set of columns that xor to zero: itself and independent ones before it.
    """

    pivots: dict[int, tuple[int, int]]
    kernel: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def solve(self, target: int) -> int | None:
        """A set of independent columns, as a mask, that xor to the target; None where there is none."""
        rest, columns = _reduce(self.pivots, target, 0)
        return None if rest else columns


def solver(columns: Iterable[int]) -> Solver:
    """Gauss's elimination, earlier columns first.

    >>> s = solver([1, 2, 3])
    >>> s.rank, s.kernel, s.solve(3), s.solve(4)
    (2, (7,), 3, None)
    """
    pivots: dict[int, tuple[int, int]] = {}
    kernel = []
    for number, column in enumerate(columns):
        rest, used = _reduce(pivots, column, 1 << number)
        if rest:
            pivots[rest.bit_length()] = rest, used
        else:
            kernel.append(used)
    return Solver(pivots, tuple(kernel))


def _reduce(pivots: dict[int, tuple[int, int]], vector: int, used: int) -> tuple[int, int]:
    """What the pivots leave of a vector, and the columns taken."""
    for leading in range(vector.bit_length(), 0, -1):
        if vector >> (leading - 1) & 1 and leading in pivots:
            taken, columns = pivots[leading]
            vector ^= taken
            used ^= columns
    return vector, used


def apply(columns: Sequence[int], bits: int) -> int:
    """The xor of the columns whose number is set in `bits`.

    >>> apply([1, 2, 4], 0b101)
    5
    """
    result = 0
    for number, column in enumerate(columns):
        if bits >> number & 1:
            result ^= column
    return result


def log2(count: int, what: str) -> int:
    """The exponent of a power of two; ValueError names what is none.

    >>> log2(8, "the waves along i")
    3
    """
    if count < 1 or count & (count - 1):
        raise ValueError(f"{what}: {count} is not a power of two")
    return count.bit_length() - 1
