"""What the statements of a file bind its names to, found in CPython's tree before anything else is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tl2hip.source.names import canonical, resolve, star_names
from tl2hip.source.nodes import Import
from tl2hip.source.span import Span

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Repeated:
    """A second binding of a function's name."""

    name: str
    first: int
    """The line of the first."""
    at: Span
    by_definition: bool
    """Whether two functions, or a function and an import, share the name; else an assignment does."""


@dataclass(slots=True)
class Names:
    """The names of a file while its statements are followed in order."""

    origins: dict[str, str]
    unsettled: set[str]
    functions: dict[str, Definition] = field(default_factory=dict)
    repeated: list[Repeated] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """The line that binds each name, the last so far."""
    read: set[str] = field(default_factory=set)
    """The names whose values went into another value or a default so far: what binds them anew does not change
    that, and a name with two meanings in one file is not followed."""

    def bind(self, name: str, origin: str, at: Span, certain: bool) -> None:
        """Bind a name by an import or a class; one that may be either of two things is unsettled."""
        if name == "*":
            self.bind_star(origin, at, certain)
            return
        if name in self.functions:
            self.repeated.append(Repeated(name, self.lines[name], at, by_definition=True))
        if (not certain or name in self.read) and self.origins.get(name, origin) != origin:
            self.unsettled.add(name)
        self.origins[name] = origin
        self.lines[name] = at.line

    def bind_star(self, origin: str, at: Span, certain: bool) -> None:
        """Bind what `from module import *` brings; where that is unknown, `*` stands for the module."""
        module = origin.removesuffix(".*")
        names = star_names(module)
        if names is None:
            self.origins["*"] = module
            return
        for name in names:
            self.bind(name, f"{module}.{name}", at, certain)

    def define(self, node: Definition, certain: bool) -> None:
        """Bind a function. Of several with one name the last is the one that Python calls."""
        at = head(node)
        origin = "." + node.name
        if node.name in self.functions or (not certain and node.name in self.origins):
            self.repeated.append(Repeated(node.name, self.lines.get(node.name, at.line), at, by_definition=True))
        if node.name in self.read and node.name not in self.functions:
            self.unsettled.add(node.name)
        self.definitions.append(node)
        self.functions[node.name] = node
        self.origins[node.name] = origin
        self.lines[node.name] = at.line
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.read.update(loaded(default))

    def bind_others(self, statement: ast.stmt, certain: bool) -> None:
        """Bind the names of an assignment, a loop, a `with`, a `del` or a walrus."""
        assigns = isinstance(statement, (ast.Assign, ast.AnnAssign))
        plain = assigns and certain
        beside = set(walruses(statement)) | self.read
        at = span(statement)
        for name in stored(statement):
            if name in self.functions and not self.compiles(statement, name):
                self.repeated.append(Repeated(name, self.lines[name], at, by_definition=False))
            self.origins[name] = "." + name
            if not plain or name in beside:
                self.unsettled.add(name)
            self.lines.setdefault(name, at.line)
        if isinstance(statement, ast.Assign) and plain:
            self.follow_aliases(statement)
        if assigns:
            self.read.update(loaded(getattr(statement, "value", None)))

    def compiles(self, statement: ast.stmt, name: str) -> bool:
        """Whether a statement is `f = kernel(f)` or `f = CompileKernel(f)`."""
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.Call) or not value.args:
            return False
        text = dotted(value.func)
        marked = text is not None and resolve(text, self.origins) in MARKERS
        return marked and dotted(value.args[0]) == name

    def follow_aliases(self, statement: ast.Assign) -> None:
        """`exp = np.exp` gives the name the origin of what it is set to."""
        for target, value in _pairs(statement):
            text = dotted(value)
            origin = resolve(text, self.origins) if text else None
            if origin and not origin.startswith("."):
                self.origins[target] = origin


COMPILES = "tl2hip.CompileKernel"
"""The article's function that compiles a function with options."""
MARKERS = frozenset({"tl2hip.kernel", COMPILES})
"""The functions that make a kernel of the function they are given."""
JITS = frozenset({"numba.jit", "numba.njit"})
"""Numba's decorators that compile a function as it stands."""


def _pairs(statement: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The (name, value) pairs of an assignment, those of `a, b = c, d` included."""
    for target in statement.targets:
        if isinstance(target, ast.Name):
            yield target.id, statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            ones, values = target.elts, statement.value.elts
            if any(isinstance(one, ast.Starred) for one in (*ones, *values)):
                continue  # what goes where is then counted from both ends
            for one, value in zip(ones, values, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value


def stored(statement: ast.stmt) -> Iterator[str]:
    """The names that the head of a statement binds or deletes (those of its body come on their own)."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            continue
        if isinstance(child, ast.ExceptHandler):
            if child.name:
                yield child.name
            continue
        yield from _bound_in(child)


def _bound_in(root: ast.AST) -> Iterator[str]:
    """The names that an expression or pattern binds; the variables of a comprehension are its own."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            inner = (one for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
            yield from (one.target.id for one in inner)
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        stack.extend(ast.iter_child_nodes(node))


def walruses(statement: ast.stmt) -> Iterator[str]:
    """The names that `:=` binds in the value of an assignment."""
    value = getattr(statement, "value", None)
    for node in ast.walk(value) if isinstance(value, ast.expr) else ():
        if isinstance(node, ast.NamedExpr):
            yield node.target.id


def loaded(value: ast.expr | None) -> Iterator[str]:
    """The names that an expression reads."""
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def imported(statement: ast.Import | ast.ImportFrom) -> Iterator[Import]:
    """The names that an import binds."""
    at = span(statement)
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            yield Import(module, alias.name, alias.asname or alias.name, at=at)
        elif alias.asname:
            yield Import(alias.name, None, alias.asname, at=at)
        else:
            first = alias.name.split(".")[0]
            yield Import(first, None, first, at=at)


def origin_of(one: Import) -> str:
    """What an import binds its name to; `module.*` for `from module import *`."""
    return canonical(one.module if one.member is None else f"{one.module}.{one.member}")


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text, None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def span(node: ast.AST) -> Span:
    """Where a node of CPython's tree stands. Columns are bytes there: exact for a line of ASCII."""
    line: int = getattr(node, "lineno", 1)
    column: int = getattr(node, "col_offset", 0)
    end_line: int | None = getattr(node, "end_lineno", None)
    end_column: int | None = getattr(node, "end_col_offset", None)
    return Span(line, column, end_line or line, end_column or column)


def head(node: Definition) -> Span:
    """The place of `def name` alone, for problems about a function as a whole."""
    width = len("async def ") if isinstance(node, ast.AsyncFunctionDef) else len("def ")
    return Span(node.lineno, node.col_offset, node.lineno, node.col_offset + width + len(node.name))
