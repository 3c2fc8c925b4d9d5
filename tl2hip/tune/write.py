"""Marks into the text of a file, and out of it: a codemod that leaves every other byte as it is.

>>> text = "from tl2hip import kernel\\n\\n@kernel\\ndef f(x):\\n    for i in range(9):\\n        x[i] = 0\\n"
>>> print(write(text, "f", {"i": (("tile", 64), ("waves", 2))}), end="")
from tl2hip import Tile, kernel, waves
<BLANKLINE>
@kernel
def f(x):
    i: Tile[int, 64, waves(2)]
    for i in range(9):
        x[i] = 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst import matchers

from tl2hip.source.lower_expressions import known
from tl2hip.source.lower_module import definitions
from tl2hip.tune.imports import Imports, dotted

TILE = "tile"
"""The name of a tile's size among the marks."""

RANGES = ("range", "prange", "numba.prange")
"""What the loops run over that marks can stand on, as it is called."""

Marks = tuple[tuple[str, int], ...]
"""What is said of one loop: marks by name with their values, the size of its tile first; empty for nothing."""
Said = Mapping[str, Marks]
"""What is said of the loops of a kernel, by loop variable."""


def stated(text: str, kernel: str) -> dict[str, Marks | None]:
    """What a kernel says of each of its loops over a range, in their order; None where that is not plain numbers,
    is in quotes, has a comment inside or stands in the loop itself: marks that are not to be changed.

    Nothing where the file has no such function.
    """
    module = cst.parse_module(text)
    found = _Loops(Imports(module))
    function = _function(module, kernel)
    if function is not None:
        function.body.visit(found)
    return {name: found.marks.get(name, ()) for name in found.loops}


def write(text: str, kernel: str, said: Said) -> str:
    """The text of a file with these marks, and no others, on the loops of a kernel that `said` names.

    A mark that is there already is changed at its place, a new one goes above the outermost loop around its own,
    one that says nothing goes with its line. Names that the marks need are added to the file's import of tl2hip.
    Raises KeyError where the file has no such function.
    """
    module = cst.parse_module(text)
    imports = Imports(module)
    function = _function(module, kernel)
    if function is None:
        raise KeyError(kernel)
    found = _Loops(imports)
    function.body.visit(found)
    changed = {name: marks for name, marks in said.items() if found.marks.get(name, ()) != marks}
    if not changed:
        return text
    lines = {name: _annotation(name, marks, imports) for name, marks in changed.items() if marks}
    body = function.body.visit(_Change(changed, lines, imports))
    assert isinstance(body, cst.IndentedBlock)
    new = [name for name in found.loops if name in lines and name not in found.marks]
    body = _with_new(body, new, lines)
    replaced = module.deep_replace(function, function.with_changes(body=body))
    assert isinstance(replaced, cst.Module)
    code = imports.added(replaced).code
    # libcst reads a lone carriage return as a line end, but not as the file's last one
    return code + "\r" if text.endswith("\r") and not code.endswith("\r") else code


def _function(module: cst.Module, kernel: str) -> cst.FunctionDef | None:
    """The kernel; None where the file has no function of that name outside classes and functions."""
    return next((s for s in definitions(module.body) if known(s.name) == kernel), None)


# --- what is there ---------------------------------------------------------------------------------------


class _Loops(cst.CSTVisitor):
    """The loop variables of a function in order, and what it says of them."""

    def __init__(self, imports: Imports) -> None:
        super().__init__()
        self.imports = imports
        self.loops: list[str] = []
        self.marks: dict[str, Marks | None] = {}

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_For(self, node: cst.For) -> None:
        if not isinstance(node.target, cst.Name) or not isinstance(node.iter, cst.Call):
            return
        name, is_tiled = known(node.target), self.imports.meaning(node.iter.func) == "tiled"
        if is_tiled:
            self.marks[name] = None
        if (is_tiled or dotted(node.iter.func) in RANGES) and name not in self.loops:
            self.loops.append(name)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        name = _tiled_name(node, self.imports)
        if name is not None:
            self.marks.setdefault(name, _marks(node.annotation.annotation, self.imports))


def _tiled_name(node: cst.AnnAssign, imports: Imports) -> str | None:
    """The variable that `i: Tile[…]` marks, in quotes or not; None for any other annotation."""
    kind: cst.BaseExpression | None = node.annotation.annotation
    if isinstance(kind, cst.SimpleString | cst.ConcatenatedString):
        kind = _quoted(kind)
    is_tile = isinstance(kind, cst.Subscript) and imports.meaning(kind.value) == "Tile"
    return known(node.target) if is_tile and isinstance(node.target, cst.Name) and node.value is None else None


def _quoted(text: cst.SimpleString | cst.ConcatenatedString) -> cst.BaseExpression | None:
    """The expression in quotes; None where there is none."""
    words = text.evaluated_value
    try:
        return cst.parse_expression(words.strip()) if isinstance(words, str) else None
    except cst.ParserSyntaxError:
        return None


def _marks(kind: cst.BaseExpression, imports: Imports) -> Marks | None:
    """The marks of `Tile[int, 128, waves(2)]`; None where one is no name with a number, and where writing others in
    their place would take a comment away, or quotes."""
    if not isinstance(kind, cst.Subscript) or matchers.findall(kind, matchers.Comment()):
        return None
    items = [s.slice.value for s in kind.slice[1:] if isinstance(s.slice, cst.Index)]
    found: list[tuple[str, int]] = []
    for place, item in enumerate(items):
        if isinstance(item, cst.Integer) and place == 0:
            found.append((TILE, item.evaluated_value))
            continue
        if not (isinstance(item, cst.Call) and len(item.args) == 1):
            return None
        name, value = imports.meaning(item.func), item.args[0].value
        if not (name and isinstance(value, cst.Integer)):
            return None
        found.append((name, value.evaluated_value))
    return tuple(found) or None


# --- what changes ----------------------------------------------------------------------------------------


GONE = cst.Pass()
"""Stands in the place of an annotation that goes, until its line does."""


class _Change(cst.CSTTransformer):
    """Changes the annotations that are there, and takes out those that say nothing any more."""

    def __init__(self, changed: Said, lines: Mapping[str, cst.Annotation], imports: Imports) -> None:
        super().__init__()
        self.changed = changed
        self.lines = lines
        self.imports = imports

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_AnnAssign(
        self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign
    ) -> cst.BaseSmallStatement:
        name = _tiled_name(original_node, self.imports)
        if name is None or name not in self.changed:
            return updated_node
        if name not in self.lines:
            return GONE
        new = self.lines[name].annotation
        return updated_node.with_changes(annotation=updated_node.annotation.with_changes(annotation=new))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        left = [s for s in updated_node.body if s is not GONE]
        if len(left) == len(updated_node.body):
            return updated_node
        if not left:
            return updated_node.with_changes(body=(GONE,))
        left[-1] = left[-1].with_changes(semicolon=original_node.body[-1].semicolon)
        return updated_node.with_changes(body=tuple(left))

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        left, below = _without_gone(updated_node.body)
        return updated_node.with_changes(body=left, footer=(*below, *updated_node.footer))


def _without_gone(
    body: Sequence[cst.BaseStatement],
) -> tuple[tuple[cst.BaseStatement, ...], tuple[cst.EmptyLine, ...]]:
    """The statements that still hold something, and the lines left below them; comments above a line that goes
    stay."""
    left: list[cst.BaseStatement] = []
    above: list[cst.EmptyLine] = []
    for s in body:
        if isinstance(s, cst.SimpleStatementLine) and s.body[0] is GONE:
            above += s.leading_lines
        else:
            left.append(s.with_changes(leading_lines=(*above, *_leading(s))) if above else s)
            above = []
    return tuple(left), tuple(above)


def _leading(s: cst.BaseStatement) -> tuple[cst.EmptyLine, ...]:
    """The blank and comment lines above a statement."""
    found: tuple[cst.EmptyLine, ...] = tuple(getattr(s, "leading_lines", ()))
    return found


def _annotation(name: str, marks: Marks, imports: Imports) -> cst.Annotation:
    """`Tile[int, 128, waves(2)]` in the names of this file."""
    words = [f"{value}" if mark == TILE else f"{imports.spelled(mark)}({value})" for mark, value in marks]
    statement = cst.parse_statement(f"{name}: {imports.spelled('Tile')}[{', '.join(['int', *words])}]\n")
    assert isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.AnnAssign)
    return statement.body[0].annotation


def _with_new(
    body: cst.IndentedBlock, new: list[str], lines: Mapping[str, cst.Annotation]
) -> cst.IndentedBlock:
    """The body of a function with new annotations above the outermost loops around their own."""
    left = list(new)
    statements: list[cst.BaseStatement] = []
    for s in body.body:
        loops = _Targets()
        s.visit(loops)
        here = [name for name in left if name in loops.names]
        left = [name for name in left if name not in here]
        blank = _blank(s) if here else ()
        for name in here:
            target = cst.AnnAssign(cst.Name(name), lines[name])
            statements.append(cst.SimpleStatementLine((target,), leading_lines=blank))
            blank = ()
        statements.append(s.with_changes(leading_lines=_leading(s)[len(_blank(s)) :]) if here else s)
    return body.with_changes(body=tuple(statements))


def _blank(s: cst.BaseStatement) -> tuple[cst.EmptyLine, ...]:
    """The blank lines above a statement, as far as its first comment."""
    lines = _leading(s)
    count = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:count]


class _Targets(cst.CSTVisitor):
    """The loop variables below a statement."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_For(self, node: cst.For) -> None:
        if isinstance(node.target, cst.Name):
            self.names.add(known(node.target))
