"""What each memory instruction of a traced block asks for, and what that costs: bytes, requests, clocks of LDS."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tl2hip.hip.origins import Origins, UserLine
from tl2hip.prove.advice.pitch import better_pitch, pitch
from tl2hip.prove.machine.model.facts import REQUEST
from tl2hip.prove.machine.model.trace import Lanes, Step, Trace
from tl2hip.prove.machine.program import Instruction

UPDATE = re.compile(r"ds_(?!read|write)")
"""An access of LDS that is neither a read nor a write updates it: moves between lanes are no accesses."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an instruction stands: its line of the assembly, of the HIP text (of a helper's, where it is inlined),
    of the kernel in the HIP text, and of the user; what is not known is 0 or None."""

    assembly: int
    hip: int
    kernel: int
    user: UserLine | None = None

    def __str__(self) -> str:
        user = f" ({self.user})" if self.user else ""
        return f"line {self.kernel}{user}" if self.kernel else f"assembly line {self.assembly}"

    def data(self) -> dict[str, Any]:
        """As plain data."""
        lines = {"assembly_line": self.assembly, "hip_line": self.hip, "kernel_line": self.kernel}
        return {**lines, "python": str(self.user) if self.user else None}


def place_of(instruction: Instruction, origins: Origins | None) -> Place:
    """Where an instruction stands."""
    user = origins.of(instruction.within) if origins else None
    return Place(instruction.line, instruction.source, instruction.within, user)


@dataclass(frozen=True, slots=True)
class Use:
    """One memory instruction, over all waves of a block.

    `width` are the bytes that a lane moves at once. It was executed `times` with any lane on, in the `hot` loop or
    not. `moved` are bytes of all lanes. Of global memory `requested` are the bytes of the requests of 64 bytes that
    its lanes touch, `used` those among them that any lane asks for; of LDS `clocks` are what it takes the banks,
    and `free` what it would take them without conflicts. `lanes` are where lanes went the time that cost most.
    """

    name: str
    text: str
    place: Place
    lds: bool
    store: bool
    width: int
    times: int
    hot: bool
    moved: int
    requested: int
    used: int
    clocks: int
    free: int
    lanes: Lanes

    @property
    def kind(self) -> str:
        """What it does, in words: `LDS reads`, `global updates` …"""
        what = "updates" if "atomic" in self.name or UPDATE.match(self.name) else ""
        if self.lds:
            return f"LDS {what or ('writes' if self.store else 'reads')}"
        return f"global {what or ('stores' if self.store else 'loads')}"

    @property
    def ways(self) -> float:
        """Clocks of LDS in those without conflicts: 2.0 where lanes meet two by two."""
        return self.clocks / self.free if self.free else 1.0

    @property
    def pitch(self) -> int | None:
        """Bytes from row to row of its lanes."""
        return pitch(self.lanes)

    @property
    def better(self) -> int | None:
        """A pitch at which its lanes would not meet in a bank."""
        return better_pitch(self.lanes, self.store) if self.lds and self.clocks > self.free else None

    def data(self) -> dict[str, Any]:
        """As plain data."""
        figures = {name: getattr(self, name) for name in ("text", "lds", "store", "width", "times", "hot", "moved")}
        if self.lds:
            figures |= {"clocks": self.clocks, "clocks_without_conflicts": self.free, "ways": self.ways}
        else:
            figures |= {"bytes_requested": self.requested, "bytes_used": self.used}
        return {**self.place.data(), **figures, "pitch": self.pitch}


def uses(trace: Trace, hot: Collection[int], origins: Origins | None = None) -> tuple[Use, ...]:
    """The memory instructions that a block executed, in the order of the code. `hot` are the instructions of the
    loop that matters. A load from memory that goes to LDS is one of each."""
    executed: dict[int, list[Step]] = {}
    for steps in trace.waves:
        for step in steps:
            if not step.idle and (step.requests or step.lds):
                executed.setdefault(step.at, []).append(step)
    found = []
    for at, its in sorted(executed.items()):
        for lds, sampled in ((False, trace.in_memory), (True, trace.in_lds)):
            if at in sampled:
                found.append(_use(trace.kernel.code[at], its, lds, sampled[at], at in hot, origins))
    return tuple(found)


def _use(
    instruction: Instruction, its: Sequence[Step], lds: bool, lanes: Lanes, hot: bool, origins: Origins | None
) -> Use:
    name = instruction.name
    store = any(word in name for word in ("store", "write", "atomic")) or UPDATE.match(name) is not None
    return Use(
        name=name,
        text=instruction.text,
        place=place_of(instruction, origins),
        lds=lds,
        store=store or (lds and not name.startswith("ds_")),
        width=lanes.bytes,
        times=len(its),
        hot=hot,
        moved=sum(step.bytes for step in its),
        requested=0 if lds else REQUEST * sum(step.requests for step in its),
        used=0 if lds else sum(step.used for step in its),
        clocks=sum(step.lds for step in its) if lds else 0,
        free=sum(step.lds_free for step in its) if lds else 0,
        lanes=lanes,
    )


@dataclass(frozen=True, slots=True)
class Group:
    """Uses of one kind at one line of the kernel, one after the other in the code."""

    uses: tuple[Use, ...]

    @property
    def first(self) -> Use:
        return self.uses[0]

    @property
    def worst(self) -> Use:
        """The one that wastes most."""
        return max(self.uses, key=lambda one: (one.clocks - one.free, one.requested - one.used))

    def total(self, what: str) -> int:
        """A figure of all of them together."""
        return sum(getattr(one, what) for one in self.uses)

    def __str__(self) -> str:
        many = f"{len(self.uses)} x " if len(self.uses) > 1 else ""
        into = " into LDS" if self.first.lds and not self.first.name.startswith("ds_") else ""
        return f"{many}{self.first.name}{into}"


def grouped(found: Sequence[Use]) -> tuple[Group, ...]:
    """The uses by line of the kernel and instruction, in the order of the code."""
    groups: dict[tuple[Any, ...], list[Use]] = {}
    for one in found:
        line = one.place.kernel or -one.place.assembly
        groups.setdefault((line, one.name, one.lds, one.hot), []).append(one)
    return tuple(Group(tuple(its)) for its in groups.values())
