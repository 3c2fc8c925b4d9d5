"""Printing: a plan as one self-contained HIP file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tl2hip.hip.context import Used
from tl2hip.hip.frame import fill
from tl2hip.hip.functions import math_texts
from tl2hip.hip.head import head_lines
from tl2hip.hip.helpers import U64
from tl2hip.hip.kernel import print_kernels
from tl2hip.hip.launcher import Argument, LauncherInfo, launcher_info, print_launcher
from tl2hip.hip.names import Names
from tl2hip.hip.naming import name_plan
from tl2hip.hip.origins import Origins, file_name, placed
from tl2hip.plan.ir import Plan

__all__ = ["Argument", "LauncherInfo", "Origins", "Printed", "PrintedFile", "print_plan", "print_plans"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed file and how to call its launcher."""

    text: str
    launcher: LauncherInfo
    origins: Origins


@dataclass(frozen=True, slots=True)
class PrintedFile:
    """A printed file of several kernel functions and how to call their launchers, in the order of the plans."""

    text: str
    launchers: tuple[LauncherInfo, ...]
    origins: Origins


def print_plan(plan: Plan) -> Printed:
    """The HIP file of a plan: helpers in use, kernels, launcher. The same plan gives the same text, always."""
    printed = print_plans((plan,))
    return Printed(printed.text, printed.launchers[0], printed.origins)


def print_plans(plans: Sequence[Plan]) -> PrintedFile:
    """One HIP file of several plans (at least one) made from the same source; helpers are shared."""
    used = Used()
    tables: list[tuple[Plan, Names, LauncherInfo]] = []
    for plan in plans:
        names = name_plan(plan, [f for _, _, info in tables for f in functions(info)])
        tables.append((plan, names, launcher_info(plan, names)))
    source = plans[0].nest.source
    kernels = [kernel for plan, names, _ in tables for kernel in print_kernels(plan, names, used)]
    on_device = helper_texts(used)
    launchers = [print_launcher(plan, info, names, used) for plan, names, info in tables]
    both = helper_texts(used)
    text = fill(
        "file",
        source=file_name(source),
        head=[line for plan, names, _ in tables for line in head_lines(plan, names, several=len(plans) > 1)],
        typedefs=[*([U64.text] if U64.name in used.helpers else []), *used.vectors.values()],
        helpers=grouped([text for name, text in both.items() if name in on_device]),
        kernels=[kernel.text for kernel in kernels],
        host_helpers=grouped([text for name, text in both.items() if name not in on_device]),
        overlap=any("overlap(" in text for text in launchers),
        read_back=any("read_back(" in text for text in launchers),
        folded=any("folded<" in text for text in launchers),
        launchers=launchers,
    )
    origins = Origins(source, placed(text, [(kernel.text, kernel.users) for kernel in kernels]))
    return PrintedFile(f"{text}\n", tuple(info for _, _, info in tables), origins)


def helper_texts(used: Used) -> dict[str, str]:
    """The text of every helper used so far by its name, callees first."""
    texts = math_texts(tuple(used.math), tuple(used.host_math))
    return {**texts, **{name: h.text for name, h in used.helpers.items() if h is not U64}}


def functions(info: LauncherInfo) -> tuple[str, ...]:
    """The C functions that a launcher and its kernels are."""
    return (info.name, *info.kernels, *((info.workspace,) if info.workspace else ()))


def grouped(texts: list[str]) -> list[str]:
    """The helpers, those of one line next to each other without empty lines between."""
    groups = groupby(texts, key=lambda text: "\n" in text)
    return [t for long, group in groups for t in (group if long else ("\n".join(group),))]
