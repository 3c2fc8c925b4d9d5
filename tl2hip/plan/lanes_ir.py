"""How the threads of a block put their values together: reductions and prefixes, statements of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

from tl2hip.dtypes import DType
from tl2hip.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Combine:
    """Each variable becomes the reduction of its values over all threads of the block; all threads get it.

    `op` is a ReduceOp or one of an Extreme over one variable, or "first_max", "first_min", "last_max", "last_min"
    over a pair (value, i64 position): the position of the extreme value, on ties the lowest (first) or highest one;
    a lane that has none holds position `NONE_FIRST` or `NONE_LAST` and never wins.
    `threads` is the size of the block: 64 needs no LDS, more takes one hop through LDS (a scratch array that
    the printer declares) and barriers. It stands in uniform control flow only.
    `slot`: LDS that no other reduction of the kernel uses, so that one barrier is enough; another has to stand
    between this reduction and the next time it runs.
    """

    op: str
    variables: tuple[tuple[str, DType], ...]
    threads: int
    slot: int | None = field(default=None, kw_only=True)
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Prefix:
    """`name` becomes the reduction of its values over the threads before this one in the block, what changes
    nothing in the first; `whole` becomes that over all threads, in each of them.

    `op`, `threads`, LDS and control flow as of a Combine. The order of the threads is kept.
    """

    op: str
    name: str
    whole: str
    dtype: DType
    threads: int
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def variables(self) -> tuple[tuple[str, DType], ...]:
        """What it writes."""
        return ((self.name, self.dtype), (self.whole, self.dtype))


NONE_FIRST = 2**63 - 1
NONE_LAST = -1
