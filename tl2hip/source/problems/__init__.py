"""The catalogue: every problem class by its code, and the page of each."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.source.problems.base import Problem

MODULES = {
    1: "reading",
    2: "marks",
    3: "types",
    4: "dependence",
    5: "planning",
    6: "rules",
    7: "proving",
    8: "use",
}
"""The catalogue's modules by the first digit of their codes; each is imported when it is needed."""


def catalogue() -> dict[str, type[Problem]]:
    """Every problem class by its code, in order."""
    from tl2hip.source.problems.base import CATALOGUE

    for name in MODULES.values():
        module = import_module(f"{__name__}.{name}")
        if hasattr(module, "load_all"):
            module.load_all()
    return dict(sorted(CATALOGUE.items()))


def lookup(code: str) -> type[Problem] | None:
    """The class of a code such as `TL204` (case does not matter), None where there is none."""
    return catalogue().get(code.strip().upper())


def page(kind: type[Problem]) -> str:
    """The page of a code, in Markdown: title, message, reason, example, way out and rewrite."""
    parts = [f"# {kind.code}: {kind.title}"]
    if kind.severity == "warning":
        parts.append("A warning: the kernel is printed all the same.")
    parts.append(f"> {opened(kind.message)}")
    if kind.why:
        parts.append(kind.why)
    if kind.example:
        parts += ["## Example", _block(kind.example)]
    if kind.help and not kind.help.startswith("{"):
        parts += ["## Way out", f"{opened(kind.help[0].upper() + kind.help[1:])}."]
    if kind.rewrite:
        parts += ["## Rewritten", _block(kind.rewrite)]
    return "\n\n".join(parts) + "\n"


def opened(template: str) -> str:
    """A template with its fields as words in capitals, and a field that goes on a word as an ellipsis."""
    return re.sub(r"\{(\w+)\}", lambda field: field[1].upper(), re.sub(r"(?<=\w)\{\w+\}", "…", template))


def _block(code: str) -> str:
    language = "" if code.startswith("tl2hip ") else "python"
    return f"```{language}\n{code.rstrip()}\n```"
