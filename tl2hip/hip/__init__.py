"""Printing: a plan as one self-contained HIP file."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.hip.context import Used
from tl2hip.hip.frame import fill
from tl2hip.hip.functions import math_texts
from tl2hip.hip.head import head_lines
from tl2hip.hip.helpers import U64
from tl2hip.hip.kernel import print_kernel
from tl2hip.hip.launcher import Argument, LauncherInfo, launcher_info, print_launcher
from tl2hip.hip.naming import name_plan
from tl2hip.plan.ir import Plan

__all__ = ["Argument", "LauncherInfo", "Printed", "print_plan"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed file and how to call its launcher."""

    text: str
    launcher: LauncherInfo


def print_plan(plan: Plan) -> Printed:
    """The HIP file of a plan: helpers in use, kernels, launcher. The same plan gives the same text, always."""
    names = name_plan(plan)
    used = Used()
    info = launcher_info(plan, names)
    kernels = [print_kernel(k, plan, names, used) for k in plan.kernels]
    launcher = print_launcher(plan, info, names, used)
    helpers = [h.text for name, h in used.helpers.items() if name != U64.name]
    u64 = [U64.text] if U64.name in used.helpers else []
    text = fill(
        "file",
        source=plan.nest.source.name.replace("\\", "/").rpartition("/")[2],
        head=head_lines(plan, names),
        typedefs=[*u64, *used.vectors.values()],
        helpers=[*math_texts(tuple(used.math), tuple(used.host_math)), *helpers],
        kernels=kernels,
        launcher=launcher,
    )
    return Printed(f"{text}\n", info)
