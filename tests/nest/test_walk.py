"""Rewriting bodies of nests, statement by statement."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import F32
from tl2hip.nest.ir import Compare, Const, If, Set, Stmt, Var, While
from tl2hip.nest.walk import map_stmts

ONE = Const(1.0, F32)
TEST = Compare("<", Var("a", F32), ONE)


def test_every_statement_is_mapped_inside_out_and_none_takes_it_out() -> None:
    seen: list[str] = []

    def stmt(s: Stmt) -> Stmt | None:
        seen.append(s.name if isinstance(s, Set) else type(s).__name__)
        if not isinstance(s, Set):
            return s
        return None if s.name == "gone" else replace(s, name=s.name.upper())

    a, gone = Set("a", ONE), Set("gone", ONE)
    body = (If(TEST, (a, gone), (While(TEST, (gone, a)),)), gone, a)
    new = Set("A", ONE)
    assert map_stmts(stmt, body) == (If(TEST, (new,), (While(TEST, (new,)),)), new)
    assert seen == ["a", "gone", "gone", "a", "While", "If", "gone", "a"]
    assert map_stmts(lambda s: s, body) == body
