"""Choices between kernels: made while planning where sizes are fixed, else by the launcher."""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import Compare, Expr, Logic
from tl2hip.plan.ir import HostIf, HostStmt

Host = tuple[HostStmt, ...]


def holds(*tests: Compare) -> Expr | bool:
    """Whether all tests hold, by `<`, `<=` or `>=`: what is known of them, else those that are not, joined.

    >>> from tl2hip.nest.index import number
    >>> from tl2hip.nest.ir import Dim
    >>> less, greater = (Compare(op, number(1), number(2)) for op in ("<", ">="))
    >>> many = Compare(">=", Dim("M"), number(8192))
    >>> holds(less), holds(many, greater), holds(many, less) == many
    (True, False, True)
    """
    unknown: Expr | None = None
    for test in tests:
        a, b = value_of(test.left), value_of(test.right)
        if a is None or b is None:
            unknown = test if unknown is None else Logic("and", unknown, test)
        elif not {"<": a < b, "<=": a <= b, ">=": a >= b}[test.op]:
            return False
    return True if unknown is None else unknown


def either(test: Expr | bool, then: Callable[[], Host], orelse: Callable[[], Host]) -> Host:
    """One side where the test is decided, else both, between which the launcher chooses. Each side adds its kernels
    as it is made."""
    if isinstance(test, bool):
        return then() if test else orelse()
    return (HostIf(test, then(), orelse()),)
