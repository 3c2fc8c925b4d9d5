"""Marks that are warned of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.marks_examples import MARKED, marked


@dataclass(frozen=True)
class NotPlannedYet(Problem):
    code: ClassVar[str] = "TL209"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "Mark that is checked and kept, and not planned yet"
    message: ClassVar[str] = "{name} is checked and kept, and not planned yet"
    help: ClassVar[str] = "the kernel is right without it"
    why: ClassVar[str] = (
        "The mark is checked for its range and kept in the nest, and the kernel is right. It does not shape "
        "the kernel yet."
    )
    example: ClassVar[str] = marked("i: Tile[int, 128, stages(2)]")
    rewrite: ClassVar[str] = MARKED
    name: str
