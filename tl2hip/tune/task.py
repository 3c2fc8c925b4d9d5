"""One search: a kernel of a text, what is fixed, the sizes it is tuned for. Plain data, for any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tl2hip.tune.space import Candidate
from tl2hip.tune.write import write

if TYPE_CHECKING:
    from tl2hip.api import Conversion
    from tl2hip.nest.ir import Nest

Pairs = tuple[tuple[str, int], ...]

ELEMENTS = 1 << 26
"""Elements that all arrays hold together where nobody says the sizes: 4096 each way for a matrix product."""
STATEMENTS = 1 << 37
"""Innermost statements of a launch of such sizes, at most."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is tuned: a kernel of a file's text, converted with what the caller fixed, launched for some sizes."""

    name: str
    text: str
    kernel: str
    sets: Pairs = ()
    rules: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    sizes: Pairs = ()


def text_of(task: Task, candidate: Candidate) -> str:
    """The file's text as a candidate has it."""
    return write(task.text, task.kernel, dict(candidate))


def convert(task: Task, text: str, stop_after: str = "") -> Conversion:
    """The kernel of a text of this task through the stages."""
    from tl2hip import api
    from tl2hip.source.span import Source

    options = api.Options(dict(task.sets), {}, tuple(map(Path, task.rules)), dict(task.types))
    return api.convert(Source(task.name, text), options, wanted=(task.kernel,), stop_after=stop_after)


def sizes_for(nest: Nest, given: Mapping[str, int]) -> dict[str, int]:
    """The sizes that a kernel is launched for: those that are given, and for the others the largest power of two,
    alike for all, that leaves arrays and work within ELEMENTS and STATEMENTS.

    Raises ValueError where the kernel's asserts admit no such sizes.
    """
    from tl2hip.prove.asserts import admitted
    from tl2hip.prove.shapes import elements, work

    given = {name: n for name, n in given.items() if name in nest.dims}
    if len(given) == len(nest.dims):
        if not admitted(nest, given):
            raise ValueError("the kernel's asserts do not admit these sizes")
        return given
    for n in (1 << bits for bits in reversed(range(25))):
        sizes = {**dict.fromkeys(nest.dims, n), **given}
        small = elements(nest, sizes) <= ELEMENTS and work(nest, sizes) <= STATEMENTS
        if small and admitted(nest, sizes):
            return sizes
    raise ValueError("no sizes were found that its asserts admit")
