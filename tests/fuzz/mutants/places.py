"""Where a file may be changed: its statements and expressions with their places as indices into the text."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

Block = list[ast.stmt]
INDENT = "    "


@dataclass(frozen=True, slots=True)
class File:
    """A text and its tree."""

    text: str
    tree: ast.Module
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    """The index of each line's first character."""

    def index(self, line: int, column: int) -> int:
        """The index of a place of CPython's, whose columns are bytes."""
        before = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(before)

    def span(self, node: ast.stmt | ast.expr | ast.arg) -> tuple[int, int]:
        """Where a node stands in the text."""
        return (
            self.index(node.lineno, node.col_offset),
            self.index(node.end_lineno or node.lineno, node.end_col_offset or 0),
        )

    def source(self, node: ast.stmt | ast.expr | ast.arg) -> str:
        start, end = self.span(node)
        return self.text[start:end]


def file(text: str) -> File:
    """The places of a text that Python parses; its lines end in a line feed."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return File(text, ast.parse(text), tuple(lines), tuple(starts[:-1]))


def functions(at: File, kernel: str) -> list[ast.FunctionDef]:
    """The kernel, then the functions of the file that it names."""
    every = {f.name: f for f in at.tree.body if isinstance(f, ast.FunctionDef)}
    reached, todo = {}, [kernel]
    while todo:
        name = todo.pop()
        if name in every and name not in reached:
            reached[name] = every[name]
            todo += [n.id for n in ast.walk(every[name]) if isinstance(n, ast.Name)]
    return list(reached.values())


def blocks(node: ast.AST) -> Iterator[Block]:
    """Every list of statements below a node."""
    for inner in ast.walk(node):
        for _, value in ast.iter_fields(inner):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def movable(at: File, block: Block) -> list[ast.stmt]:
    """The statements of a block that have their lines for themselves."""
    return [s for s in block if at.lines[s.lineno - 1].encode()[: s.col_offset].isspace() or s.col_offset == 0]


def rows(statement: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement, its decorators included."""
    above = [d.lineno for d in getattr(statement, "decorator_list", ())]
    return min([statement.lineno, *above]), statement.end_lineno or statement.lineno


def indentation(at: File, statement: ast.stmt) -> str:
    line = at.lines[statement.lineno - 1]
    return line[: len(line) - len(line.lstrip())]


def expressions(node: ast.AST) -> list[ast.expr]:
    """The expressions below a node that others can take the place of."""
    found: list[ast.expr] = []
    todo: list[ast.AST] = [node]
    while todo:
        one = todo.pop(0)
        for _, value in ast.iter_fields(one):
            for child in value if isinstance(value, list) else (value,):
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                    continue
                todo.append(child)
                if isinstance(child, ast.expr) and not isinstance(child, (ast.Slice, ast.Starred)):
                    found.append(child)
    return [e for e in found if not _bare_slices(e)]


def _bare_slices(e: ast.expr) -> bool:
    """Whether an expression is the `1:, 2` of a subscript, which cannot stand in parentheses."""
    return isinstance(e, ast.Tuple) and any(isinstance(x, (ast.Slice, ast.Starred)) for x in e.elts)


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of templates may stand for in a function."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    targets: tuple[str, ...]
    arrays: tuple[str, ...]
    loops: tuple[str, ...]
    effects: tuple[str, ...]

    def chosen(self, word: str, draw: random.Random) -> str:
        """One text for a word, those of plain statements for `EFFECT`."""
        pools = {
            "NAME": self.names,
            "VALUE": self.values,
            "TARGET": self.targets,
            "ARRAY": self.arrays,
            "LOOP": self.loops,
            "EFFECT": self.effects,
        }
        return draw.choice(pools[word])


def words(function: ast.FunctionDef) -> Words:
    """The words of a function."""
    arguments = (*function.args.args, *function.args.kwonlyargs)
    inside = [n for s in function.body for n in ast.walk(s)]
    names = [a.arg for a in arguments] + [n.id for n in inside if isinstance(n, ast.Name)]
    plain = [s for s in inside if isinstance(s, (ast.Assign, ast.AugAssign))]
    targets = [t for s in plain for t in (s.targets if isinstance(s, ast.Assign) else [s.target])]
    arrays = [a.arg for a in arguments if a.annotation is not None and "Tensor" in ast.unparse(a.annotation)]
    loops = [n.target.id for n in inside if isinstance(n, ast.For) and isinstance(n.target, ast.Name)]
    values = [
        n
        for s in function.body
        for n in expressions(s)
        if isinstance(getattr(n, "ctx", None), (ast.Load, type(None)))
    ]
    every = tuple(dict.fromkeys(names)) or ("x",)
    spelled = tuple(dict.fromkeys(ast.unparse(t) for t in targets)) or every[:1]
    return Words(
        every,
        tuple(dict.fromkeys(f"({ast.unparse(v)})" for v in values if not isinstance(v, ast.Constant))) or ("1",),
        spelled,
        tuple(arrays) or every[:1],
        tuple(dict.fromkeys(loops)) or ("i",),
        tuple(dict.fromkeys(ast.unparse(s) for s in plain)) or ("pass",),
    )
