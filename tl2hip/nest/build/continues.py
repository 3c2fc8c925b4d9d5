"""`continue` turned into guards around the rest of a loop's body."""

from __future__ import annotations

from tl2hip.source import nodes


def without_continue(body: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    """The same statements with no `continue` of their own loop in them.

    >>> test, rest = nodes.Name("t"), nodes.Break()
    >>> without_continue((nodes.If(test, (nodes.Continue(),), ()), rest))
    (If(test=Name(id='t'), then=(), orelse=(Break(),)),)
    """
    for place, s in enumerate(body):
        if isinstance(s, nodes.Continue):
            return body[:place]
        if isinstance(s, nodes.If) and _continues(s):
            rest = body[place + 1 :]
            then = without_continue(_followed(s.then, rest))
            orelse = without_continue(_followed(s.orelse, rest))
            return (*body[:place], nodes.If(s.test, then, orelse, at=s.at))
    return body


def _followed(side: tuple[nodes.Stmt, ...], rest: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    return side if _always(side) else (*side, *rest)


def _continues(s: nodes.Stmt) -> bool:
    """Whether a `continue` of this loop stands in the statement."""
    if isinstance(s, nodes.If):
        return any(map(_continues, (*s.then, *s.orelse)))
    return isinstance(s, nodes.Continue)


def _always(side: tuple[nodes.Stmt, ...]) -> bool:
    """Whether every way through the statements meets a `continue`."""
    return any(
        isinstance(s, nodes.Continue) or (isinstance(s, nodes.If) and _always(s.then) and _always(s.orelse))
        for s in side
    )
