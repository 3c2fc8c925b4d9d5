"""What a figure of the table is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Figure = float | bool | None


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure by its name, and the most (or `least`) that it may be; a bool must be just that."""

    name: str
    bound: float | bool
    words: str = ""
    least: bool = False

    def missed(self, figures: Mapping[str, Figure]) -> str:
        """Why the aim is missed, empty where it is met. A figure that is not there misses it."""
        value = figures.get(self.name)
        if value is None:
            return f"{self.words or self.name}: nothing to measure"
        if isinstance(self.bound, bool):
            return "" if value is self.bound else f"{self.words or self.name}: {'yes' if value else 'no'}"
        if value >= self.bound if self.least else value <= self.bound:
            return ""
        return f"{self.words or self.name} {number(value)} {'<' if self.least else '>'} {number(self.bound)}"


def number(value: float) -> str:
    """A figure in at most three digits behind the point.

    >>> number(116), number(0.05), number(1234.5678)
    ('116', '0.05', '1,234.568')
    """
    return f"{value:,.3f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.0f}"
