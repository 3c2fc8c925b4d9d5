"""The table of docs/acceptance.md."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tests.acceptance.row import ROOT, Row
from tests.acceptance.rows_constructs import CONSTRUCTS
from tests.acceptance.rows_kernels import KERNELS
from tests.acceptance.rows_peers import PEERS

PAGE = ROOT / "docs" / "acceptance.md"
ROWS: tuple[Row, ...] = (*KERNELS, *CONSTRUCTS, *PEERS)

HEAD = """# Where tl2hip stands

Three lists: kernels as people write them, the constructs of Python, and failures that users of such tools have met.
Each row names what shows its verdict, and `python -m pytest tests/acceptance` proves the rows as they say: a kernel
that converts is run beside its Python; one that is refused is refused with that code, at the lines marked in its
file, and the kernel of its way out is proven. `python -m tests.acceptance --update` writes this page.

*core* must convert, *second* should, *refuse* may be refused with a reason and a way out. What must not happen is
*held* where tests keep it so. Kernels are named by where they are known from; all of them are written anew.
"""

SECTIONS = {1: "Kernels", 2: "Constructs", 3: "What must not happen"}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, _counts(), *_sections()])


def _counts() -> str:
    lines = ["| | rows | converted | refused as wanted | open |", "| --- | --- | --- | --- | --- |"]
    for number in (1, 2):
        rows = [r for r in ROWS if r.section == number]
        converted = sum(not r.code for r in rows)
        refused = sum(bool(r.code) and r.reached for r in rows)
        missed = sum(not r.reached for r in rows)
        lines.append(f"| {SECTIONS[number]} | {len(rows)} | {converted} | {refused} | {missed} |")
    peers = [r for r in ROWS if r.section == 3]
    lines += ["", "| | rows | held | does not arise | open |", "| --- | --- | --- | --- | --- |"]
    counted = (len(peers), *(sum(r.verdict == v for r in peers) for v in ("held", "outside", "open")))
    lines.append(f"| {SECTIONS[3]} | " + " | ".join(map(str, counted)) + " |")
    return "\n".join(lines) + "\n"


def _sections() -> Iterator[str]:
    for number, title in SECTIONS.items():
        yield f"## {number}. {title}\n"
        rows = [r for r in ROWS if r.section == number]
        for area, some in groupby(rows, key=lambda r: r.area):
            if area:
                yield f"### {area}\n"
            yield "| row | verdict | shown by |" if number == 3 else "| row | wanted | verdict | shown by |"
            yield "| --- " * (3 if number == 3 else 4) + "|"
            yield from map(_line, some)
            yield ""


def _line(row: Row) -> str:
    verdict = "does not arise" if row.verdict == "outside" else row.verdict
    if row.open:
        verdict += f": {row.open}" if row.section == 3 else f"; missing: {row.open}"
    shown = "<br>".join(f"`{_short(s)}`" for s in row.shown)
    if row.instead:
        shown += f"<br>instead `{_short(row.instead)}`"
    if row.note:
        shown += f"<br>{row.note}" if shown else row.note
    wanted = "" if row.section == 3 else f" {row.wanted} |"
    return f"| {row.name} |{wanted} {verdict} | {shown} |"


def _short(shown: str) -> str:
    return shown.removeprefix("tests/")
