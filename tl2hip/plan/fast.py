"""The plans that are faster than the general one where they fit, in the order in which they are tried.

Each is a function of the state and a chain of loops that may be shared out. It gives the launcher's statements and
adds its kernels, or gives None where the nest is none of its kind; what it knows of the reason it leaves with
`State.miss`, for `explain`.
"""

from __future__ import annotations

from collections.abc import Callable

from tl2hip.nest.ir import Loop
from tl2hip.plan.attention import attention
from tl2hip.plan.chain import Chain, head
from tl2hip.plan.columns import columns
from tl2hip.plan.decode import decode
from tl2hip.plan.elementwise import elementwise
from tl2hip.plan.gemv import gemv
from tl2hip.plan.ir import HostStmt
from tl2hip.plan.matmul import matmul
from tl2hip.plan.rows import rows
from tl2hip.plan.state import State
from tl2hip.plan.strips import strips
from tl2hip.plan.transpose import transpose

FastPlan = Callable[[State, Chain], tuple[HostStmt, ...] | None]

PLANS: tuple[FastPlan, ...] = (decode, attention, matmul, rows, gemv, columns, transpose, elementwise, strips)


def launch(state: State, loop: Loop) -> tuple[HostStmt, ...] | None:
    """The launches of a top-level loop by the first plan that fits it; None where none does."""
    chain = head(loop, state.kinds)
    for plan in PLANS:
        done = plan(state, chain)
        if done is not None:
            return done
    return None
