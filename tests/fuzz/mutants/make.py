"""The mutant of a seed: a kernel of the corpus and one change to it, the same for the same seed."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fuzz.mutants.changes import BROUGHT, CHANGES
from tests.fuzz.mutants.corpus import Base, corpus
from tests.fuzz.mutants.edits import Edit, nodes_of, put_expression, put_statement, some_block, some_expression
from tests.fuzz.mutants.expressions import EXPRESSIONS
from tests.fuzz.mutants.places import File, file, functions, words
from tests.fuzz.mutants.statements import STATEMENTS

KINDS = (
    *(("statement", *t) for t in STATEMENTS),
    *(("expression", *t) for t in EXPRESSIONS),
    *(("change", name, "") for name in CHANGES for _ in range(4)),
)
"""Every way to mutate, each as often as it stands here: (sort, name, template)."""
OUTSIDE = 0.08
"""The share of templates that are put at file level, or into anything that the file defines."""
TRIES = 20


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed file. `lines` are those of the change, `inside` says whether it stands in the kernel or a function
    that the kernel names."""

    seed: int
    base: Base
    text: str
    kind: str
    what: str
    nodes: frozenset[str]
    lines: tuple[int, int]
    inside: bool


def mutant(seed: int) -> Mutant:
    """The mutant of a seed; `len(KINDS)` seeds in a row have every kind once."""
    draw = random.Random(f"mutant {seed}")
    sort, name, template = KINDS[seed % len(KINDS)]
    for base in _drawn(draw):
        at = file(base.text)
        edit, inside = _edited(at, base, sort, name, template, draw)
        if edit is not None and edit.text != base.text:
            nodes = (
                frozenset(BROUGHT.get(name, ()))
                if sort == "change"
                else nodes_of(template, "eval" if sort == "expression" else "exec")
            )
            return Mutant(
                seed, base, edit.text, f"{sort} {name}", edit.what, nodes, (edit.first, edit.last), inside
            )
    raise AssertionError(f"nothing to change by {sort} {name} in any kernel")


def _drawn(draw: random.Random) -> Iterator[Base]:
    """Kernels to try one after the other: a few at random, which mostly is enough, then all."""
    for _ in range(TRIES):
        yield draw.choice(corpus())
    yield from draw.sample(corpus(), len(corpus()))


def _edited(
    at: File, base: Base, sort: str, name: str, template: str, draw: random.Random
) -> tuple[Edit | None, bool]:
    """One try: the edit, and whether it is inside what the kernel is made of."""
    own = functions(at, base.kernel)
    function = own[0] if draw.random() < 0.85 else draw.choice(own)
    if sort == "change":
        return CHANGES[name](at, function, draw), True
    outside = draw.random() < OUTSIDE
    root: ast.AST = at.tree if outside else function
    if sort == "statement":
        block = at.tree.body if outside else some_block(root, draw)
        return put_statement(at, block, template, words(function), draw, name), not outside
    place = some_expression(root, draw)
    return (
        None if place is None else put_expression(at, place, template, words(function), draw, name)
    ), not outside
