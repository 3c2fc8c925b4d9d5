"""A kernel's innermost loops, as indices of instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tl2hip.prove.control_flow import find_loops, read_blocks
from tl2hip.prove.machine.program import Instruction, Kernel, Label


@dataclass(frozen=True, slots=True)
class InnerLoop:
    """A loop without one inside: its label, its first instruction, and all of them."""

    label: str
    header: int
    code: frozenset[int]


def inner_loops(kernel: Kernel) -> tuple[InnerLoop, ...]:
    """The innermost loops of a kernel, in the order of their first instructions."""
    blocks = read_blocks(_lines(kernel))
    starts, at = [], 0
    for block in blocks:
        starts.append(at)
        at += len(block.code)
    natural = find_loops(blocks)
    found = []
    for loop in natural:
        if any(other.blocks < loop.blocks for other in natural):
            continue
        code = frozenset(starts[one] + k for one in loop.blocks for k in range(len(blocks[one].code)))
        found.append(InnerLoop(blocks[loop.header].label, starts[loop.header], code))
    return tuple(sorted(found, key=lambda loop: loop.header))


def _lines(kernel: Kernel) -> list[str]:
    """Labels and instructions as lines, which is what basic blocks are read from."""
    labels: dict[int, list[str]] = {}
    for name, at in kernel.labels.items():
        labels.setdefault(at, []).append(f"{name}:")
    lines: list[str] = []
    for at, instruction in enumerate(kernel.code):
        lines += labels.get(at, ())
        lines.append(_line(instruction))
    return lines


def _line(instruction: Instruction) -> str:
    targets: Sequence[str] = [one.value.name for one in instruction.operands if isinstance(one.value, Label)]
    return " ".join((instruction.name, *targets))
