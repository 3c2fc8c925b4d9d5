"""A row of the table: what people write or were hurt by, what is wanted of it, what shows the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]

Wanted = Literal["core", "second", "refuse", "held"]
"""It must convert; it should; a refusal at its place with a way out is right; tests keep it so (section 3)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `shown` says where its verdict is seen, as `file::name`: a kernel, or a test where the file's name
    begins with `test_`; a file alone is one of tests/errors.

    `code` is that of the refusal, empty for what converts; `instead` names the kernel that the refusal's way out
    leads to. `note` is a few words for the table. A row of section 3 that nothing shows is about something that
    tl2hip does not have, and the note says what; `open` says what of it is not reached.
    """

    section: int
    area: str
    name: str
    wanted: Wanted
    shown: tuple[str, ...] = ()
    code: str = ""
    instead: str = ""
    note: str = ""
    open: str = ""

    @property
    def verdict(self) -> str:
        if self.section == 3:
            return "open" if self.open else "held" if self.shown else "outside"
        return f"refused ({self.code})" if self.code else "converted"

    @property
    def reached(self) -> bool:
        """Whether the verdict is what is wanted, or more: what may be refused and converts."""
        return not self.open and (not self.code or self.wanted == "refuse")


def place(shown: str) -> tuple[Path, str]:
    """The file and the name in it that `shown` names."""
    path, _, name = shown.partition("::")
    return ROOT / path, name
