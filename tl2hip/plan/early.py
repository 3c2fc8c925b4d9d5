"""Loops that end early: where a turn does nothing once a flag is down, the loop asks the flag before each turn.

go = True                                          go = True
for j in range(N):                     ->          for j in range(N) while go:
    if go:                                             …; go = False
        …; go = False
"""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import BOOL
from tl2hip.nest.ir import Const, Set, Var
from tl2hip.plan.ir import DeviceIf, DeviceStmt, For
from tl2hip.plan.walk import all_stmts, map_stmts


def ended(body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
    """The same statements, every loop that can end early doing so."""
    return map_stmts(_one, body)


def _one(s: DeviceStmt) -> DeviceStmt:
    match s:
        case For(body=(DeviceIf(test=Var() as flag, then=then, orelse=()),), going=None) if _stays_down(flag, then):
            return replace(s, body=then, going=flag)
        case _:
            return s


def _stays_down(flag: Var, body: tuple[DeviceStmt, ...]) -> bool:
    """Whether nothing in a body puts the flag up again."""
    sets = [s for s in all_stmts(body) if isinstance(s, Set) and s.name == flag.name]
    return bool(sets) and all(s.value == Const(False, BOOL) for s in sets)
