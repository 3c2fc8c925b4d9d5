"""What one change makes of a text, and templates put into it."""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass

from tests.fuzz.mutants.places import (
    INDENT,
    Block,
    File,
    Words,
    blocks,
    expressions,
    indentation,
    movable,
    rows,
)

_WORDS = re.compile(r"\b(NAME|VALUE|TARGET|ARRAY|LOOP|EFFECT)\b")
_HERE = re.compile(r"\bHERE\b")


@dataclass(frozen=True, slots=True)
class Edit:
    """A changed text, the lines of the change in it, and what was done."""

    text: str
    first: int
    last: int
    what: str


def spliced(at: File, start: int, end: int, new: str, what: str) -> Edit:
    """The text with a stretch of it replaced."""
    text = at.text[:start] + new + at.text[end:]
    first = at.text.count("\n", 0, start) + 1
    return Edit(text, first, first + new.count("\n"), f"line {first}: {what}")


def lined(at: File, first: int, last: int, new: list[str], what: str) -> Edit:
    """The text with lines `first` … `last` replaced; `last` is one less where there are none."""
    lines = [*at.lines[: first - 1], *new, *at.lines[last:]]
    return Edit("\n".join(lines), first, max(first, first + len(new) - 1), f"line {first}: {what}")


def filled(template: str, known: Words, draw: random.Random) -> str:
    """The template with its words replaced, `HERE` apart; each word at each place anew."""
    return _WORDS.sub(lambda found: known.chosen(found[1], draw), template)


def nodes_of(template: str, mode: str) -> frozenset[str]:
    """The node types of Python that a template brings; `mode` is "exec" for statements, "eval" for expressions."""
    with_words = {"NAME", "VALUE", "TARGET", "ARRAY", "LOOP", "EFFECT", "HERE"}
    tree = ast.parse(template, mode=mode, type_comments=True)
    found = {type(n).__name__ for n in ast.walk(tree) if not (isinstance(n, ast.Name) and n.id in with_words)}
    return frozenset(found - {"Module", "Expression"})


def put_statement(
    at: File, block: Block, template: str, known: Words, draw: random.Random, what: str
) -> Edit | None:
    """A template around statements of a block, or before or behind one; None where they share their lines."""
    own = movable(at, block)
    if not own:
        return None
    chosen = draw.choice(own)
    first, last = rows(chosen)
    pad = indentation(at, chosen)
    inside = [line.removeprefix(pad) for line in at.lines[first - 1 : last]]
    text = filled(template, known, draw)
    if not _HERE.search(template):
        made = [pad + line for line in text.split("\n")]
        place = first if draw.random() < 0.6 else last + 1
        return lined(at, place, place - 1, made, what)
    made = []
    for line in text.split("\n"):
        if line.strip() == "HERE":
            deeper = line[: len(line) - len(line.lstrip())]
            made += [(pad + deeper + one) if one else one for one in inside]
        else:
            made.append(pad + line)
    return lined(at, first, last, made, what)


def put_expression(at: File, place: ast.expr, template: str, known: Words, draw: random.Random, what: str) -> Edit:
    """A template in the place of an expression, which it holds where it says so."""
    start, end = at.span(place)
    old = at.text[start:end]
    text = _HERE.sub(lambda _: f"({old})", filled(template, known, draw))
    return spliced(at, start, end, f"({text})", what)


def some_block(root: ast.AST, draw: random.Random) -> Block:
    return draw.choice(list(blocks(root)))


def some_expression(root: ast.AST, draw: random.Random) -> ast.expr | None:
    """An expression, now and then one that is assigned to."""
    found = expressions(root)
    read = [e for e in found if not isinstance(getattr(e, "ctx", None), (ast.Store, ast.Del))]
    pool = found if draw.random() < 0.04 else read
    return draw.choice(pool) if pool else None


def indented(lines: list[str]) -> list[str]:
    return [INDENT + line if line else line for line in lines]
