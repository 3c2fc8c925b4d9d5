"""The text of a kernel after a stage, as `--stop-after` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from tl2hip.source.span import Span

if TYPE_CHECKING:
    from tl2hip.api import Converted, Options


def stage_text(kernel: Converted, stage: str, options: Options) -> str:
    """The kernel after a stage; empty where it was refused before."""
    if stage == "read":
        return "\n".join(tree(kernel.function)) + "\n"
    if stage == "plan":
        from tl2hip.plan.show import show as show_plan

        return show_plan(kernel.plan) if kernel.plan else ""
    from tl2hip.nest.show import show as show_nest

    if kernel.nest is None:
        return ""
    if stage == "nest":
        return show_nest(kernel.nest)
    from tl2hip.api import joined, rules_of

    told = rules_of(kernel.nest, options)
    canonical = joined(kernel.nest, options).nest
    if canonical is not None:
        told += ["", "joined:", "", *show_nest(canonical).splitlines()]
    return show_nest(kernel.nest) + "\n" + "\n".join(f"# {line}".rstrip() for line in told) + "\n"


def tree(node: object, label: str = "", pad: str = "") -> Iterator[str]:
    """A node of the source as indented lines: its kind, its place, its plain fields, then the nodes below it."""
    head = f"{pad}{label}{': ' if label else ''}"
    if not is_dataclass(node):
        yield f"{head}{node!r}"
        return
    plain, below = [], []
    for one in fields(node):
        value = getattr(node, one.name)
        if isinstance(value, Span):
            continue
        if is_dataclass(value) or (isinstance(value, tuple) and value):
            below.append((one.name, value))
        elif value is not None and value != ():
            plain.append(f"{one.name}={value!r}")
    at = getattr(node, "at", None)
    place = f" at {at.line}:{at.column + 1}" if isinstance(at, Span) else ""
    yield f"{head}{type(node).__name__}{place}{' ' if plain else ''}{' '.join(plain)}"
    for name, value in below:
        for item in value if isinstance(value, tuple) else (value,):
            yield from tree(item, name, pad + "  ")
