"""Names that no user can write, for what tl2hip itself means in the nodes it makes."""

from __future__ import annotations

from collections.abc import Iterator

from tl2hip.source import nodes
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

OURS = {f"?{name}": name for name in ("tl2hip", "numpy", "math", "builtins")} | {
    "?load_shared": "tl2hip.lds",
    "?PipelineStage": "tl2hip.stages",
    "?prefetch": "tl2hip.stages",
    "?Unroll": "tl2hip.unroll",
    "?unroll": "tl2hip.unroll",
}
"""Origins of these names, added to those of the file: libraries, and the article's own words for marks."""


def ours(module: str, name: str, at: Span) -> nodes.Expr:
    """`module.name`, whatever the file binds `module` to."""
    return nodes.Attribute(nodes.Name(f"?{module}", at=at), name, at=at)


def words(node: nodes.Node) -> Iterator[str]:
    """Every name that is mentioned."""
    for one in walk(node):
        if isinstance(one, nodes.Name):
            yield one.id


class Fresh:
    """Gives names that are not taken: `hint`, or `hint_2` and on."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def __call__(self, hint: str) -> str:
        name, count = hint, 1
        while name in self.taken:
            count += 1
            name = f"{hint}_{count}"
        self.taken.add(name)
        return name
