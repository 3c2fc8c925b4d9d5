"""What CPython's own parser says of a file: its errors, its depth, its names, and which functions are
kernels.

This runs before libcst and decides whether libcst is needed at all: most files of a folder hold no kernel.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tl2hip.source.names import canonical, resolve
from tl2hip.source.nodes import Import
from tl2hip.source.problems.base import Refused
from tl2hip.source.problems.reading import NotPython, TooDeep
from tl2hip.source.span import Source, Span

DEPTH = 500
"""The deepest tree that is read; libcst and everything after it recurse."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Scan:
    """What is known of a file before its syntax is read."""

    imports: tuple[Import, ...]
    origins: dict[str, str]
    """The origin of each name bound at file level; `.name` for what the file itself makes."""
    functions: dict[str, Definition]
    """The functions at file level; of several with one name the last, which is the one Python calls."""
    repeated: tuple[tuple[Definition, Definition], ...]
    """Earlier and later definitions of one name."""
    kernels: tuple[str, ...]
    misplaced: tuple[tuple[Definition, str], ...]
    """Kernels inside a class or another function, and what holds them."""
    unsettled: frozenset[str]
    called_on: tuple[int, ...]
    """The lines with a call of one of the file's own functions."""


def parse(source: Source) -> tuple[ast.Module, list[ast.AST]]:
    """CPython's tree of a text, and all its nodes. Raises Refused with CPython's own message, or when the
    tree is too deep."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
            every = flatten(tree)
            compile(tree, source.name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused(_syntax_problem(error, source)) from None
    except (RecursionError, MemoryError):
        raise Refused(TooDeep(DEPTH, at=Span(1, 0, 1, 0))) from None
    except ValueError as error:
        raise Refused(_character_problem(error, source)) from None
    return tree, every


def flatten(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, level by level. Raises Refused when it is deeper than `DEPTH`."""
    every: list[ast.AST] = []
    level: list[ast.AST] = [tree]
    for _ in range(DEPTH):
        every += level
        level = [child for node in level for child in _children(node)]
        if not level:
            return every
    at = next((span(node) for node in level if hasattr(node, "lineno")), Span(1, 0, 1, 0))
    raise Refused(TooDeep(DEPTH, at=at))


def _children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, those without a place (operators, contexts) left out."""
    found: list[ast.AST] = []
    for name in node._fields:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += [one for one in part if isinstance(one, ast.AST)]
        elif isinstance(part, ast.AST) and part._fields:
            found.append(part)
    return found


def _syntax_problem(error: SyntaxError, source: Source) -> NotPython:
    line = max(1, error.lineno or 1)
    column = max(0, (error.offset or 1) - 1)
    end_line, end_column = error.end_lineno or line, (error.end_offset or 0) - 1
    if (end_line, end_column) <= (line, column):
        end_line, end_column = line, column + 1
    return NotPython(error.msg, at=Span(line, column, end_line, end_column))


def _character_problem(error: ValueError, source: Source) -> NotPython:
    if isinstance(error, UnicodeError):
        bad = next((i for i, c in enumerate(source.text) if "\ud800" <= c <= "\udfff"), 0)
        return NotPython("a lone surrogate is no character", at=place(source.text, bad))
    return NotPython("source code cannot contain null bytes", at=place(source.text, source.text.find("\0")))


def place(text: str, index: int) -> Span:
    """The span of the one character at an index of a text."""
    before = text[: max(0, index)].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1)
    return Span(line, column, line, column + 1)


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


def scan(tree: ast.Module, every: list[ast.AST], known: tuple[Import, ...] = ()) -> Scan:
    """The names and kernels of a file. `known` are imports in force where the file says nothing else."""
    origins = {one.name: _origin(one) for one in known}
    imports: list[Import] = []
    functions: dict[str, Definition] = {}
    repeated: list[tuple[Definition, Definition]] = []
    unsettled = set(_global_names(every))
    for statement, certain in _file_level(tree.body, True):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for one in _imported(statement):
                imports.append(one)
                _bind(origins, unsettled, one.name, _origin(one), certain or one.name not in origins)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name in functions:
                repeated.append((functions[statement.name], statement))
            functions[statement.name] = statement
            _bind(origins, unsettled, statement.name, "." + statement.name, True)
        elif isinstance(statement, ast.ClassDef):
            _bind(origins, unsettled, statement.name, "." + statement.name, True)
        else:
            _bind_others(statement, certain, origins, unsettled)
    for name in unsettled:
        origins[name] = "." + name
    kernels = _kernels(every, functions, origins)
    misplaced = tuple(_misplaced(every, origins))
    called_on = tuple(_own_calls(every, functions))
    return Scan(
        tuple(imports),
        origins,
        functions,
        tuple(repeated),
        kernels,
        misplaced,
        frozenset(unsettled),
        called_on,
    )


def _bind(origins: dict[str, str], unsettled: set[str], name: str, origin: str, certain: bool) -> None:
    """Bind a name; one that may be either of two things is unsettled."""
    if not certain and origins.get(name, origin) != origin:
        unsettled.add(name)
    origins[name] = origin


def _bind_others(statement: ast.stmt, certain: bool, origins: dict[str, str], unsettled: set[str]) -> None:
    """Bind the names of an assignment, a loop, a `with`, a `del` or a walrus at file level."""
    plain = isinstance(statement, (ast.Assign, ast.AnnAssign)) and certain
    for name in _stored(statement):
        origins[name] = "." + name
        if not plain:
            unsettled.add(name)
    if isinstance(statement, ast.Assign) and plain:
        for target, value in _pairs(statement):
            text = dotted(value)
            origin = resolve(text, origins) if text else None
            if origin and not origin.startswith("."):
                origins[target] = origin


def _pairs(statement: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The (name, value) pairs of an assignment, those of `a, b = c, d` included."""
    for target in statement.targets:
        if isinstance(target, ast.Name):
            yield target.id, statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for one, value in zip(target.elts, statement.value.elts, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value


def _file_level(body: Iterable[ast.stmt], certain: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run when the file is imported, each with whether it runs for certain, once."""
    for statement in body:
        yield statement, certain
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _file_level(getattr(statement, name, ()), False)
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _file_level(part.body, False)


def _stored(statement: ast.stmt) -> Iterator[str]:
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


def _global_names(every: list[ast.AST]) -> Iterator[str]:
    for node in every:
        if isinstance(node, ast.Global):
            yield from node.names


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterator[Import]:
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


def _origin(one: Import) -> str:
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


def _kernels(
    every: list[ast.AST], functions: dict[str, Definition], origins: dict[str, str]
) -> tuple[str, ...]:
    compiled = set(_compiled(every, origins))
    return tuple(
        name for name, one in functions.items() if name in compiled or looks_like_kernel(one, origins)
    )


def _compiled(every: list[ast.AST], origins: dict[str, str]) -> Iterator[str]:
    """The names given to `CompileKernel` anywhere in the file."""
    for node in every:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first, text = node.args[0], dotted(node.func)
        if isinstance(first, ast.Name) and text and resolve(text, origins) == "tl2hip.CompileKernel":
            yield first.id


def _own_calls(every: list[ast.AST], functions: dict[str, Definition]) -> Iterator[int]:
    for node in every:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            yield node.func.lineno


def looks_like_kernel(node: Definition, origins: dict[str, str]) -> bool:
    """Whether a function carries `@kernel` or an annotation with `Tensor`."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        text = dotted(called)
        if text and resolve(text, origins) == "tl2hip.kernel":
            return True
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotations = [one.annotation for one in parameters] + [node.returns]
    return any(one is not None and _names_tensor(one, origins) for one in annotations)


def _names_tensor(annotation: ast.expr, origins: dict[str, str]) -> bool:
    if isinstance(annotation, ast.Constant):
        if not isinstance(annotation.value, str) or "Tensor" not in annotation.value:
            return False
        try:
            annotation = ast.parse(annotation.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return True
    for node in ast.walk(annotation):
        if isinstance(node, (ast.Name, ast.Attribute)):
            text = dotted(node)
            if text and resolve(text, origins) == "tl2hip.Tensor":
                return True
    return False


def _misplaced(every: list[ast.AST], origins: dict[str, str]) -> Iterator[tuple[Definition, str]]:
    """Functions inside a class or a function that carry a kernel's marks."""
    for outer in every:
        if not isinstance(outer, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        holder = ("class " if isinstance(outer, ast.ClassDef) else "function ") + outer.name
        for statement, _ in _file_level(outer.body, True):
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if looks_like_kernel(statement, origins):
                yield statement, holder


@dataclass(frozen=True, slots=True)
class Used:
    """The names in a function: those it binds, and those it only looks up."""

    bound: frozenset[str]
    loaded: tuple[str, ...]


def used(node: Definition) -> Used:
    """The names in a function, its decorators and annotations included."""
    arguments = node.args
    bound = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    loaded: dict[str, None] = {}
    for inner in flatten(node):
        if isinstance(inner, ast.Name):
            if isinstance(inner.ctx, ast.Store):
                bound.add(inner.id)
            else:
                loaded[inner.id] = None
    return Used(frozenset(bound), tuple(loaded))
