"""Returns of helper functions turned into an assignment of one name on every way through the body."""

from __future__ import annotations

from tl2hip.source import nodes


def with_result(body: tuple[nodes.Stmt, ...], name: str) -> tuple[nodes.Stmt, ...]:
    """The same statements, `return x` outside loops as `name = x`, with the rest behind guards.

    >>> early = nodes.If(nodes.Name("t"), (nodes.Return(nodes.Number(1)),), ())
    >>> with_result((early, nodes.Return(nodes.Number(2))), "f")
    (If(test=Name(id='t'), then=(Assign(targets=(Name(id='f'),), value=Number(value=1)),), \
orelse=(Assign(targets=(Name(id='f'),), value=Number(value=2)),)),)
    """
    for place, s in enumerate(body):
        if isinstance(s, nodes.Return):
            if s.value is None or isinstance(s.value, nodes.Nothing):
                return body[:place]
            target = nodes.Name(name, at=s.at)
            return (*body[:place], nodes.Assign((target,), s.value, at=s.at))
        if isinstance(s, nodes.If) and _returns(s):
            rest = body[place + 1 :]
            then = with_result(_followed(s.then, rest), name)
            orelse = with_result(_followed(s.orelse, rest), name)
            return (*body[:place], nodes.If(s.test, then, orelse, at=s.at))
    return body


def ends_in_return(body: tuple[nodes.Stmt, ...]) -> bool:
    """Whether some way through the body returns a value."""
    return any(
        (isinstance(s, nodes.Return) and s.value is not None and not isinstance(s.value, nodes.Nothing))
        or (isinstance(s, nodes.If) and (ends_in_return(s.then) or ends_in_return(s.orelse)))
        for s in body
    )


def _followed(side: tuple[nodes.Stmt, ...], rest: tuple[nodes.Stmt, ...]) -> tuple[nodes.Stmt, ...]:
    return side if _always(side) else (*side, *rest)


def _returns(s: nodes.Stmt) -> bool:
    if isinstance(s, nodes.If):
        return any(map(_returns, (*s.then, *s.orelse)))
    return isinstance(s, nodes.Return)


def _always(side: tuple[nodes.Stmt, ...]) -> bool:
    return any(
        isinstance(s, nodes.Return) or (isinstance(s, nodes.If) and _always(s.then) and _always(s.orelse))
        for s in side
    )
