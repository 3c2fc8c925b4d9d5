"""Rewriting bodies of nests, statement by statement."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import F32
from tl2hip.nest.ir import Compare, Const, If, Logic, Set, Stmt, Var, While
from tl2hip.nest.walk import conjuncts, map_stmts

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


def test_a_test_is_taken_apart_into_what_must_hold() -> None:
    a, b, c, d = (Compare("<", Var(name, F32), ONE) for name in "abcd")
    either = Logic("or", b, Logic("and", c, d))
    assert conjuncts(a) == (a,)
    assert conjuncts(Logic("and", Logic("and", a, either), Logic("and", c, d))) == (a, either, c, d)
