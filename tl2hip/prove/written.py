"""A nest that rules joined, held against the nest as it was written.

Both compute the same real numbers, and values are carried in a wide float, so that explicit casts are all that
is rounded. Under a running maximum a weight exp(f - m) is rounded as a multiple of the largest so far, in the
joined form as one of the largest of all. With u the unit roundoff of the narrower type, either is off by at
most u times the weight, and in the range of subnormals by half the smallest number times a factor of at most 1:
what the bound of the joined nest counts for each cast already. So both values are within that bound of the
number that no cast met, and apart by at most twice the bound. The bound of the nest as written plays no part:
it may be infinite, for it cannot know that what is rescaled was made of the same maximum. NaN and infinities
have to be alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from tl2hip.nest.ir import Nest
from tl2hip.prove.bound import Reference, reference


def apart(
    written: Nest, joined: Mapping[str, Reference], given: tuple[Any, ...], parallel: Collection[str] = ()
) -> Iterator[tuple[str, str, str]]:
    """Elements at which the nest as written and the joined one cannot both be right, one for each array: the
    element, its value in the joined nest, and its value as written."""
    for name, ours in reference(written, *given, parallel=parallel).items():
        mine = joined[name]
        with np.errstate(all="ignore"):
            near = np.abs(mine.value - ours.value) <= 2 * mine.error
        same = near | (mine.value == ours.value) | (np.isnan(mine.value) & np.isnan(ours.value))
        wrong = np.argwhere(~(same | mine.unknown))
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            yield f"{name}{list(at)}", str(mine.value[at]), str(ours.value[at])
