"""A nest that rules joined, held against the nest as it was written.

Both compute the same real numbers, and values are carried in a wide float, so that explicit casts are all that is
rounded. What the joined nest narrows is narrowed in the nest as written too (`rule.join.rounded`), but weights at
another scale: one of a running maximum is rounded as a multiple of the largest so far, one that was divided by
the total as a part of the whole.

The joined value counts weights as they are, and its bound what rounding does to each: u times the weight, with u
the unit roundoff of the narrower type, and more for subnormals (`prove.joined`). At any scale a rounding is off by
at most u times the weight, except in the range of subnormals: there by half the smallest number times what is
multiplied later, which is more than 1 where it stands for a weight that was divided. So in the nest as written
such small numbers stay as they are, and then both values are apart by at most the bound of the joined one.

The bound of the nest as written plays no part: it may be infinite, for it cannot know that what is rescaled was
made of the same maximum. NaN and infinities have to be alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tl2hip.nest.ir import Call, Cast, Expr, Nest
from tl2hip.nest.walk import map_exprs
from tl2hip.prove.bound import Reference, reference
from tl2hip.prove.joined import ROUNDED
from tl2hip.rule.terms import narrows


def apart(
    written: Nest, joined: Mapping[str, Reference], given: tuple[Any, ...], parallel: Collection[str] = ()
) -> Iterator[tuple[str, str, str]]:
    """Elements at which the nest as written and the joined one cannot both be right, one for each array: the
    element, its value in the joined nest, and its value as written."""
    at_any_scale = replace(written, body=map_exprs(_rounded, written.body))
    for name, ours in reference(at_any_scale, *given, parallel=parallel).items():
        mine = joined[name]
        with np.errstate(all="ignore"):
            near = np.abs(mine.value - ours.value) <= mine.error
        same = near | (mine.value == ours.value) | (np.isnan(mine.value) & np.isnan(ours.value))
        wrong = np.argwhere(~(same | mine.unknown))
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            yield f"{name}{list(at)}", str(mine.value[at]), str(ours.value[at])


def _rounded(e: Expr) -> Expr:
    """An explicit rounding, but of small numbers."""
    return Call(ROUNDED, (e.value,), e.dtype) if isinstance(e, Cast) and e.explicit and narrows(e) else e
