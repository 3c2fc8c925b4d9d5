"""Every name of a plan, in the order in which it is mentioned, and the table that gives their C spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tl2hip.hip.names import Names, words
from tl2hip.plan.ir import Declare, For, HostIf, HostLet, HostLoop, HostStmt, HostWhile, Let, Plan, ReadBack
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import TakeLane, TakeTile, Window
from tl2hip.plan.softmax_ir import HideUnit
from tl2hip.plan.walk import all_stmts

HELPERS = frozenset(
    words(
        "u64 at overlap folded read_back error wrapped row_major strided together load_or_zero round_to_odd "
        "from_lane last_lane earlier vector matrix global_read lds_read lds_write lds_barrier tile_of window "
        "window_of power_of_2 other_half bf16_of_number f16_of_number wave_uniform other_quarter "
    )
)
"""Names that printing itself gives to things beside the user's own."""


def name_plan(plan: Plan, taken: Iterable[str] = ()) -> Names:
    """The one table of a plan. Functions come first: they are what others call. `taken` are functions of other
    plans in the same file."""
    names = Names({*HELPERS, *taken})
    nest = plan.nest
    functions = [nest.name, *(k.name for k in plan.kernels), f"{nest.name}_workspace"]
    names.add(functions, functions=True)
    names.add([*nest.order, *nest.results, *nest.dims])
    names.add(p.array.name for p in plan.arrays)
    names.add(_host_names(plan.host))
    for kernel in plan.kernels:
        names.add(n for n, _ in kernel.scalars)
        names.add(p.name for p in kernel.places)
        for s in all_stmts(kernel.body):
            if isinstance(s, Let | Declare):
                names.add((s.name,))
            elif isinstance(s, For):
                names.add((s.var,))
            elif isinstance(s, TakeTile):
                names.add((s.row, s.column))
            elif isinstance(s, HideUnit):
                names.add((s.one, s.minus_zero))
            elif isinstance(s, TakeLane | Window):
                names.add((s.name,))
            elif isinstance(s, Combine | Prefix):
                names.add(n for n, _ in s.variables)
    return names


def _host_names(body: tuple[HostStmt, ...]) -> Iterator[str]:
    for s in body:
        if isinstance(s, HostLoop):
            yield s.var
            yield from _host_names(s.body)
        elif isinstance(s, HostWhile):
            yield from _host_names(s.body)
        elif isinstance(s, HostLet | ReadBack):
            yield s.name
        elif isinstance(s, HostIf):
            yield from _host_names((*s.then, *s.orelse))
