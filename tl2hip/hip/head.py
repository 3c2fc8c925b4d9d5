"""The comment at the head of a printed file: what the function does and where its loops went."""

from __future__ import annotations

from tl2hip.hip.names import Names
from tl2hip.plan.ir import Plan


def head_lines(plan: Plan, names: Names, several: bool = False) -> list[str]:
    """Comment lines without their slashes; an empty one separates parts. Where the file holds several functions,
    each part starts with the function's name."""
    lines = ["", f"{plan.nest.name}:"] if several else []
    if plan.nest.doc:
        lines += [""] + [line.strip().rstrip("\\").rstrip() for line in plan.nest.doc.strip().splitlines()]
    if plan.notes:
        wide = max(len(n.axis) for n in plan.notes)
        where = max(len(n.where) for n in plan.notes)
        rows = [f"{n.axis:<{wide}}  {n.where:<{where}}  {n.why}".rstrip() for n in plan.notes]
        lines += ["", "Where each loop went:", *(f"  {row}" for row in rows)]
    if names.renamed:
        lines += ["", *(f"{a} is called {c} here." for a, c in names.renamed)]
    return lines
