"""`return` anywhere in a function, turned into an assignment of one name on every way through the body.

for j in range(n):            done = False
    if row[j] == v:           for j in range(n):
        return j       ->         if row[j] == v:
return -1                             find = j; done = True; break
                              if not done:
                                  find = -1
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.nest.build.jumps import breaks
from tl2hip.source import nodes
from tl2hip.source.walk import all_stmts

Body = tuple[nodes.Stmt, ...]


def with_result(body: Body, name: str, done: str) -> Body:
    """The same statements, `return x` as `name = x`, with the rest behind guards. A loop that returns is left by
    `break`, and the flag `done` says so behind it.

    >>> early = nodes.If(nodes.Name("t"), (nodes.Return(nodes.Number(1)),), ())
    >>> with_result((early, nodes.Return(nodes.Number(2))), "f", "f_done")
    (If(test=Name(id='t'), then=(Assign(targets=(Name(id='f'),), value=Number(value=1)),), \
orelse=(Assign(targets=(Name(id='f'),), value=Number(value=2)),)),)
    """
    straight = _straight(body, name, done)
    if not any(_loop_returns(s) for s in all_stmts(body)):
        return straight
    return (_set(done, nodes.Bool(False), body[0]), *straight)


def early_return(body: Body) -> nodes.Return | None:
    """The first `return` that is not the last statement."""
    return next((s for s in all_stmts(body) if isinstance(s, nodes.Return) and s is not body[-1]), None)


def returns_value(body: Body) -> bool:
    """Whether some way through the body returns a value."""
    return any(isinstance(s, nodes.Return) and _value(s) is not None for s in all_stmts(body))


def returns_nothing(body: Body) -> nodes.Return | None:
    """The first `return` of nothing."""
    return next((s for s in all_stmts(body) if isinstance(s, nodes.Return) and _value(s) is None), None)


def always_returns(body: Body) -> bool:
    """Whether every way through the body meets a `return`; a loop may have no turns, but for `while True`."""
    return any(
        isinstance(s, nodes.Return)
        or (isinstance(s, nodes.If) and always_returns(s.then) and always_returns(s.orelse))
        or (isinstance(s, nodes.While) and s.test == nodes.Bool(True) and not breaks(s.body))
        for s in body
    )


def _straight(body: Body, name: str, done: str) -> Body:
    for place, s in enumerate(body):
        rest = body[place + 1 :]
        if isinstance(s, nodes.Return):
            return (*body[:place], *_result(s, name))
        if isinstance(s, nodes.If) and _returns(s):
            then = _straight(_followed(s.then, rest), name, done)
            orelse = _straight(_followed(s.orelse, rest), name, done)
            return (*body[:place], replace(s, then=then, orelse=orelse))
        if _loop_returns(s):
            behind = nodes.If(nodes.Name(done, at=s.at), (), _straight(rest, name, done), at=s.at)
            return (*body[:place], _left(s, name, done), *((behind,) if rest else ()))
    return body


def _left(s: nodes.Stmt, name: str, done: str) -> nodes.Stmt:
    """A loop with each `return` in it a `break` of all loops."""
    assert isinstance(s, nodes.For | nodes.While)
    return replace(s, body=_leaving(s.body, name, done))


def _leaving(body: Body, name: str, done: str) -> Body:
    out: list[nodes.Stmt] = []
    for s in body:
        if isinstance(s, nodes.Return):
            out += [*_result(s, name), _set(done, nodes.Bool(True), s), nodes.Break(at=s.at)]
        elif isinstance(s, nodes.If):
            out.append(replace(s, then=_leaving(s.then, name, done), orelse=_leaving(s.orelse, name, done)))
        elif _loop_returns(s):
            out += [
                _left(s, name, done),
                nodes.If(nodes.Name(done, at=s.at), (nodes.Break(at=s.at),), (), at=s.at),
            ]
        else:
            out.append(s)
    return tuple(out)


def _result(s: nodes.Return, name: str) -> Body:
    value = _value(s)
    return () if value is None else (_set(name, value, s),)


def _set(name: str, value: nodes.Expr, s: nodes.Stmt) -> nodes.Assign:
    return nodes.Assign((nodes.Name(name, at=s.at),), value, at=s.at)


def _value(s: nodes.Return) -> nodes.Expr | None:
    return None if isinstance(s.value, nodes.Nothing) else s.value


def _followed(side: Body, rest: Body) -> Body:
    return side if always_returns(side) else (*side, *rest)


def _returns(s: nodes.Stmt) -> bool:
    return any(isinstance(x, nodes.Return) for x in all_stmts((s,)))


def _loop_returns(s: nodes.Stmt) -> bool:
    return isinstance(s, nodes.For | nodes.While) and _returns(s)
