"""How much verify tries."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields

from tl2hip.hip.origins import Origins
from tl2hip.nest.ir import Nest
from tl2hip.plan.ir import Plan
from tl2hip.plan.softmax_ir import Joined
from tl2hip.prove.bound import Depths
from tl2hip.prove.draw import MODES, WORK, Sizes


@dataclass(frozen=True, slots=True)
class Options:
    """How much to try.

    `shapes` counts drawn shapes; `given` are tried first, whatever they cost. `plan` is what was printed: each of
    its kernels must run, and `large` more cases are made of its grains. `in_place` names pairs of arrays
    that may be one (`plan.in_place`): every third case passes one array for both, where they are alike.
    `depths` tells the plan's trees (`{axis: tree.depth for axis, tree in plan.trees}`), `joins` its softmaxes in
    one pass, `written` the nest as it was before rules joined it; `parallel` names axes that the reference may run
    side by side (None: what dependence analysis finds). `seconds` bounds the processor time of the whole, `steps`
    the serial iterations of a case, `work` its innermost statements, `python_work` those of a case that plain
    Python runs too; large cases have bounds of their own. Without `detect` there are no races and out-of-range
    accesses to find, and more speed. `machine`: each case also runs the gfx942 machine code that the compiler
    makes of the text. `origins` say which of the user's lines each line of the text is from.
    """

    shapes: int = 12
    seed: int = 0
    modes: tuple[str, ...] = MODES
    given: tuple[Sizes, ...] = ()
    plan: Plan | None = None
    large: int = 5
    in_place: tuple[tuple[str, str], ...] = ()
    depths: Depths = field(default_factory=dict)
    joins: tuple[Joined, ...] = ()
    written: Nest | None = None
    parallel: Collection[str] | None = None
    seconds: float = 60.0
    steps: int = 20_000
    work: int = WORK
    python_work: int = 20_000
    detect: bool = True
    machine: bool = False
    origins: Origins | None = None


_OWN = ("plan", "depths", "joins", "written", "in_place", "parallel", "origins")
"""The options that a plan sets."""


def check_options(given: Iterable[str]) -> None:
    """TypeError, with the options that verify takes, where any other was given."""
    known = [f.name for f in fields(Options) if f.name not in _OWN]
    wrong = [name for name in given if name not in known]
    if wrong:
        takes = ", ".join(f"{name}=" for name in ("sets", *known))
        others = ", ".join(f"{name}=" for name in wrong)
        raise TypeError(f"verify takes {takes} and not {others}; sizes are fixed by sets={{{wrong[0]!r}: …}}")
