"""What is known of decode attention: arrays read by rows, the softmax over keys, and what is done with the sums."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.dtypes import DType
from tl2hip.nest.index import ONE, add, floor_div, sub
from tl2hip.nest.ir import Axis, Expr, Stmt
from tl2hip.plan.chain import Chain
from tl2hip.source.span import Span


@dataclass(frozen=True, slots=True)
class Rows:
    """An array read by rows, which run along its last axis: `index` says which row, `inside` whether each of these
    indices surely lies in the array."""

    array: str
    dtype: DType
    index: tuple[Expr, ...]
    inside: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """What the user calls the product of a query and a key, the greatest score, the total of the weights and the
    weighted sum."""

    product: str
    most: str
    total: str
    sum: str


@dataclass(frozen=True, slots=True)
class Places:
    """The lines that make the product, the greatest score, the total and the sum."""

    product: Span
    most: Span
    total: Span
    sum: Span


@dataclass(frozen=True, slots=True)
class First:
    """The greatest of the first scores of a row, those of the keys before `stop`, and what the user calls it: what
    is asked of it is whether there was none above -inf. `keep_nan`: a score that is NaN makes it NaN."""

    name: str
    stop: Expr
    keep_nan: bool
    at: Span


@dataclass(frozen=True, slots=True)
class Decode:
    """For each point of `chain` the softmax of the `score`s of `keys`, and for each of `width` `columns` the sum
    of weights exp(score - most) times values.

    A score is made of the product of a query and a key, of `depth` elements each, over the axis `over`. `heads` is
    the axis of the chain of which `group` neighbours share keys and values; `shared` is how these count the groups,
    None where they are all one group or of one head each. `keep_nan`: a score that is NaN makes the maximum NaN.
    A weight is rounded to `weight`, f32 for not at all, or `divided` by the total. `row_behind` is done once for a
    point, `behind` for each column.
    """

    chain: Chain
    heads: Axis
    group: Expr
    shared: Expr | None
    keys: Axis
    over: str
    depth: int
    columns: Axis
    width: int
    query: Rows
    key: Rows
    value: Rows
    score: Expr
    names: Names
    places: Places
    keep_nan: bool
    weight: DType
    divided: bool
    row_behind: tuple[Stmt, ...]
    behind: tuple[Stmt, ...]
    scores: tuple[str, ...]
    """Local arrays that only hold scores and weights: nothing of them is left."""
    over_keys: tuple[str, ...]
    """The axes of all loops over keys."""
    first: First | None = None
    """Asked for where a running maximum starts from -inf."""

    @property
    def groups(self) -> Expr:
        """How many groups of heads there are."""
        if self.group == self.heads.stop:
            return ONE
        return floor_div(sub(add(self.heads.stop, self.group), ONE), self.group)

    @property
    def batch(self) -> Chain:
        """The axes around the heads."""
        return self.chain.part(n for n, a in enumerate(self.chain.axes) if a is not self.heads)
