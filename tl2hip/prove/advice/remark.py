"""What a rule says of a kernel, and the words that rules share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tl2hip.prove.advice.uses import Place


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence. `weight` is about the part of the kernel's time that it is about: larger ones come first."""

    rule: str
    weight: float
    text: str
    place: Place | None = None

    def data(self) -> dict[str, Any]:
        """As plain data."""
        place = self.place.data() if self.place else {}
        return {"rule": self.rule, "weight": round(self.weight, 4), "text": self.text, **place}


def percent(shares: Sequence[float]) -> str:
    """Parts of a whole as one figure, or as two where they are further apart than a few hundredths.

    >>> percent([0.21, 0.22]), percent([0.04, 0.101])
    ('22 %', '4 to 10 %')
    """
    low, high = (f"{100 * one:.0f}" for one in (min(shares), max(shares)))
    return f"{high} %" if max(shares) - min(shares) < 0.03 else f"{low} to {high} %"


def count(number: float, one: str) -> str:
    """`1 load`, `2 loads`.

    >>> count(1, "load"), count(2, "load")
    ('1 load', '2 loads')
    """
    return f"{number:,} {one}{'' if number == 1 else 's'}"
