"""`continue` and `break` turned into guards around the rest of a loop's body."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.source import nodes


def without_continue(body: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    """The same statements with no `continue` of their own loop in them.

    >>> test, rest = nodes.Name("t"), nodes.Pass()
    >>> without_continue((nodes.If(test, (nodes.Continue(),), ()), rest))
    (If(test=Name(id='t'), then=(), orelse=(Pass(),)),)
    """
    for place, s in enumerate(body):
        if isinstance(s, nodes.Continue):
            return body[:place]
        if isinstance(s, nodes.If) and _holds(s, nodes.Continue):
            rest = body[place + 1 :]
            then = without_continue(_followed(s.then, rest))
            orelse = without_continue(_followed(s.orelse, rest))
            return (*body[:place], nodes.If(s.test, then, orelse, at=s.at))
    return body


def breaks(body: tuple[nodes.Stmt, ...]) -> bool:
    """Whether a `break` of the loop around them stands in the statements."""
    return any(_holds(s, nodes.Break) for s in body)


def without_break(body: tuple[nodes.Stmt, ...], going: str) -> tuple[nodes.Stmt, ...]:
    """The same statements, with no `break` of their own loop in them: it takes the flag `going` down instead.

    >>> without_break((nodes.Break(),), "go")
    (Assign(targets=(Name(id='go'),), value=Bool(value=False)), Continue())
    """
    out: list[nodes.Stmt] = []
    for s in body:
        if isinstance(s, nodes.Break):
            down = nodes.Assign((nodes.Name(going, at=s.at),), nodes.Bool(False, at=s.at), at=s.at)
            out += [down, nodes.Continue(at=s.at)]
        elif isinstance(s, nodes.If):
            out.append(replace(s, then=without_break(s.then, going), orelse=without_break(s.orelse, going)))
        else:
            out.append(s)
    return tuple(out)


def _followed(side: tuple[nodes.Stmt, ...], rest: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    return side if _always(side) else (*side, *rest)


def _holds(s: nodes.Stmt, jump: type[nodes.Stmt]) -> bool:
    """Whether a jump of this loop stands in the statement."""
    if isinstance(s, nodes.If):
        return any(_holds(x, jump) for x in (*s.then, *s.orelse))
    return isinstance(s, jump)


def _always(side: tuple[nodes.Stmt, ...]) -> bool:
    """Whether every way through the statements meets a `continue`."""
    return any(
        isinstance(s, nodes.Continue) or (isinstance(s, nodes.If) and _always(s.then) and _always(s.orelse))
        for s in side
    )
