"""Changes to a kernel that put no new construct in."""

from __future__ import annotations

from tests.fuzz.mutants.changes import expressions, layout, signatures, statements
from tests.fuzz.mutants.changes.table import Change

CHANGES: dict[str, Change] = {
    **statements.CHANGES,
    **expressions.CHANGES,
    **signatures.CHANGES,
    **layout.CHANGES,
}
"""Every change by its name."""
BROUGHT = {"type comment": ("FunctionType", "TypeIgnore"), "async": ("AsyncFunctionDef",)}
"""The node types that changes bring."""
