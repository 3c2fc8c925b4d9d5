"""Matrix instructions stand where all lanes of a wave get to, and barriers where all waves do as well.

A matrix instruction takes operands from every lane, whether or not a branch has left it out; a barrier that some
lanes do not reach is a deadlock or worse. The planner puts both in uniform control flow only, and this holds every
plan to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from tl2hip.nest.ir import Expr
from tl2hip.plan.budget import differing, differs
from tl2hip.plan.ir import Barrier, DeviceIf, DeviceKernel, DeviceStmt, DeviceWhile, For
from tl2hip.plan.matrix_ir import LdsBarrier, MatrixMultiply, Meet, Settle
from tl2hip.plan.walk import all_stmts, bodies

OF_A_WAVE = (MatrixMultiply, Meet, Settle)
"""What all lanes of a wave run together: waves may meet at different places, but equally often, which runs show."""

OF_A_BLOCK = (Barrier, LdsBarrier)
"""What all threads of a block run together."""


def check(kernels: Iterable[DeviceKernel]) -> None:
    """Looks at each kernel that has matrix instructions. Raises ValueError where one of these, or a barrier, stands
    behind a test that may turn out differently where it must not."""
    for k in kernels:
        if any(isinstance(s, MatrixMultiply) for s in all_stmts(k.body)):
            _check(k, k.body, differing(k), differing(k, waves=True))


def _check(k: DeviceKernel, body: Iterable[DeviceStmt], lanes: Set[str], waves: Set[str]) -> None:
    """Looks at statements behind tests of names that differ from lane to lane, or from wave to wave."""
    for s in body:
        tests = _tests(s)
        by_lane, by_wave = (any(differs(e, names) for e in tests) for names in (lanes, waves))
        wrong = (OF_A_BLOCK if by_wave else ()) + (OF_A_WAVE if by_lane else ())
        for one in (x for inner in bodies(s) for x in all_stmts(inner)) if wrong else ():
            if isinstance(one, wrong):
                raise ValueError(f"{k.name}: {type(one).__name__} stands in divergent control flow: {tests}")
        for inner in bodies(s):
            _check(k, inner, lanes, waves)


def _tests(s: DeviceStmt) -> tuple[Expr, ...]:
    """What decides whether, or how often, the statements inside run."""
    match s:
        case DeviceIf(test=test) | DeviceWhile(test=test):
            return (test,)
        case For(start=start, stop=stop, step=step, going=going):
            return (start, stop, step) if going is None else (start, stop, step, going)
        case _:
            return ()
