"""The kinds of the axes of a text."""

from __future__ import annotations

from tests.nest.analysis.helpers import make
from tl2hip.nest.dependence import AxisKind, analyse


def kinds(text: str) -> dict[str, str]:
    return {name: k.kind for name, k in analyse(make(text)).kinds.items()}


def kind(text: str, axis: str) -> AxisKind:
    return analyse(make(text)).kinds[axis]
