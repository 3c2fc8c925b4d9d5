"""What CPython's own parser says of a file: its errors, its depth, its names, and which functions are
kernels.

This runs before libcst and decides whether libcst is needed at all: most files of a folder hold no kernel.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tl2hip.source.bindings import (
    COMPILES,
    MARKERS,
    Definition,
    Names,
    Repeated,
    dotted,
    imported,
    origin_of,
    span,
)
from tl2hip.source.depth import DEPTH
from tl2hip.source.lists import changed_lists
from tl2hip.source.names import resolve
from tl2hip.source.nodes import Import
from tl2hip.source.problems import reading
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import Source, Span


@dataclass(frozen=True, slots=True)
class Scan:
    """What is known of a file before its syntax is read."""

    imports: tuple[Import, ...]
    origins: dict[str, str]
    """The origin of each name bound at file level; `.name` for what the file itself makes."""
    functions: dict[str, Definition]
    """The functions at file level; of several with one name the last, which is the one Python calls."""
    repeated: tuple[Repeated, ...]
    """Functions whose name is bound to something else as well."""
    kernels: tuple[str, ...]
    misplaced: tuple[tuple[Definition, str], ...]
    """Kernels inside a class or another function, and what holds them."""
    unsettled: frozenset[str]
    called_on: tuple[int, ...]
    """The lines with a call of one of the file's own functions, or of `CompileKernel`."""


def parse(source: Source) -> tuple[ast.Module, list[ast.AST]]:
    """CPython's tree of a text, and all its nodes. Raises Refused with CPython's own message, or when the
    tree is too deep."""
    tree = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
            every = flatten(tree)
            compile(tree, source.name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused(_syntax_problem(error, source, in_bytes=tree is not None)) from None
    except (RecursionError, MemoryError):
        raise Refused(reading.TooDeep(DEPTH, at=Span(1, 0, 1, 0))) from None
    except ValueError as error:
        raise Refused(_character_problem(error, source)) from None
    _check_indentation(source, every)
    return tree, every


def _check_indentation(source: Source, every: list[ast.AST]) -> None:
    """Raises Refused where a statement is indented by several kinds of space: CPython and libcst count tabs and
    form feeds among spaces in different ways."""
    if "\t" not in source.text and "\f" not in source.text:
        return
    lines = source.lines
    for number in sorted(node.lineno for node in every if isinstance(node, ast.stmt)):
        line = lines[number - 1]
        indentation = line[: len(line) - len(line.lstrip(" \t\f"))]
        if len(set(indentation)) > 1:
            at = Span(number, 0, number, len(indentation))
            raise Refused(reading.UnknownSyntax("tabs, spaces or form feeds mixed in one indentation", at=at))


def flatten(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, level by level. Raises Refused when it is deeper than `DEPTH`, or will be: `a and b and
    c` is one node of CPython's and nested in libcst's tree."""
    every: list[ast.AST] = []
    level: list[ast.AST] = [tree]
    for _ in range(DEPTH):
        every += level
        long = next((n for n in level if isinstance(n, ast.BoolOp) and len(n.values) > DEPTH), None)
        if long is not None:
            raise Refused(reading.TooDeep(DEPTH, at=span(long)))
        level = [child for node in level for child in _children(node)]
        if not level:
            return every
    at = next((span(node) for node in level if hasattr(node, "lineno")), Span(1, 0, 1, 0))
    raise Refused(reading.TooDeep(DEPTH, at=at))


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


def _syntax_problem(error: SyntaxError, source: Source, in_bytes: bool) -> Problem:
    """What CPython refuses; its parser counts characters, what comes after it counts bytes."""
    line = max(1, error.lineno or 1)
    column = max(0, (error.offset or 1) - 1)
    end_line, end_column = error.end_lineno or line, (error.end_offset or 0) - 1
    if in_bytes:
        column, end_column = _characters(source, line, column), _characters(source, end_line, end_column)
    if (end_line, end_column) <= (line, column):
        end_line, end_column = line, column + 1
    return reading.NotPython(error.msg, at=Span(line, column, end_line, end_column))


def _characters(source: Source, line: int, column: int) -> int:
    """How many characters of a line its first bytes are."""
    return len(source.lines[line - 1].encode()[: max(0, column)].decode(errors="ignore"))


def _character_problem(error: ValueError, source: Source) -> Problem:
    if isinstance(error, UnicodeError):
        bad = next((i for i, c in enumerate(source.text) if "\ud800" <= c <= "\udfff"), 0)
        return reading.NotPython("a lone surrogate is no character", at=place(source.text, bad))
    return reading.NotPython("source code cannot contain null bytes", at=place(source.text, source.text.find("\0")))


def place(text: str, index: int) -> Span:
    """The span of the one character at an index of a text."""
    before = text[: max(0, index)].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1)
    return Span(line, column, line, column + 1)


def scan(tree: ast.Module, every: list[ast.AST], known: tuple[Import, ...] = ()) -> Scan:
    """The names and kernels of a file. `known` are imports in force where the file says nothing else."""
    names = Names({one.name: origin_of(one) for one in known}, set(_global_names(every)))
    imports: list[Import] = []
    for statement, certain in _file_level(tree.body, True):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for one in imported(statement):
                imports.append(one)
                names.bind(one.name, origin_of(one), one.at, certain)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.define(statement, certain)
        elif isinstance(statement, ast.ClassDef):
            names.bind(statement.name, "." + statement.name, span(statement), certain)
        else:
            names.bind_others(statement, certain)
    names.unsettled.update(changed_lists(tree, every))
    names.origins.update((name, "." + name) for name in sorted(names.unsettled))
    return Scan(
        tuple(imports),
        names.origins,
        names.functions,
        tuple(names.repeated),
        _kernels(every, names),
        tuple(_misplaced(every, names.origins)),
        frozenset(names.unsettled),
        tuple(_own_calls(every, names)),
    )


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


def _global_names(every: list[ast.AST]) -> Iterator[str]:
    for node in every:
        if isinstance(node, ast.Global):
            yield from node.names


def _kernels(every: list[ast.AST], names: Names) -> tuple[str, ...]:
    """The names of functions that are marked as kernels, in any of their definitions. One that carries `Tensor`
    alone and is called by a kernel is a helper of it."""
    decorated = {one.name for one in names.definitions if _decorated(one, names.origins)}
    decorated.update(name for name in _compiled(every, names.origins) if name in names.functions)
    marked = decorated | {one.name for one in names.definitions if looks_like_kernel(one, names.origins)}
    if decorated != marked and len(marked) > 1:
        marked = _without_helpers(marked, decorated, names.functions)
    return tuple(name for name in names.functions if name in marked)


def _without_helpers(marked: set[str], decorated: set[str], functions: Mapping[str, Definition]) -> set[str]:
    calls = {name: set(used(node).loaded) & (set(functions) - {name}) for name, node in functions.items()}
    called = set().union(*(calls[name] for name in marked))
    kept = {name for name in marked if name in decorated or name not in called}
    for name in functions:
        if name in marked and name not in _reached(kept, calls):
            kept.add(name)
    return kept


def _reached(start: set[str], calls: Mapping[str, set[str]]) -> set[str]:
    """The functions that these call, and those that they call in turn, and these themselves."""
    found, waiting = set(start), list(start)
    while waiting:
        new = calls[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _compiled(every: list[ast.AST], origins: dict[str, str]) -> Iterator[str]:
    """The names given to `CompileKernel` or `kernel` anywhere in the file."""
    for node in every:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first, text = node.args[0], dotted(node.func)
        if isinstance(first, ast.Name) and text and resolve(text, origins) in MARKERS:
            yield first.id


def _own_calls(every: list[ast.AST], names: Names) -> Iterator[int]:
    for node in every:
        if not isinstance(node, ast.Call):
            continue
        text = dotted(node.func)
        if text in names.functions or (text and resolve(text, names.origins) == COMPILES):
            yield node.func.lineno


def looks_like_kernel(node: Definition, origins: dict[str, str]) -> bool:
    """Whether a function carries `@kernel` or an annotation with `Tensor`."""
    if _decorated(node, origins):
        return True
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotations = [one.annotation for one in parameters] + [node.returns]
    return any(one is not None and _names_tensor(one, origins) for one in annotations)


def _decorated(node: Definition, origins: dict[str, str]) -> bool:
    """Whether a function carries `@kernel`."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        text = dotted(called)
        if text and resolve(text, origins) == "tl2hip.kernel":
            return True
    return False


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
    called: tuple[str, ...]
    """Those that are looked up anywhere but in decorators: a function among them has to be read as well."""


def used(node: Definition) -> Used:
    """The names in a function, its decorators and annotations included."""
    arguments = node.args
    bound = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    loaded: dict[str, None] = {}
    called: dict[str, None] = {}
    own: set[ast.AST] = set()
    """The variables of comprehensions: these are seen nowhere else, and come before what is in them."""
    above = {inner for decorator in node.decorator_list for inner in flatten(decorator)}
    for inner in flatten(node):
        if isinstance(inner, ast.comprehension):
            own.update(flatten(inner.target))
        elif isinstance(inner, ast.Name):
            if isinstance(inner.ctx, ast.Load):
                loaded[inner.id] = None
                if inner not in above:
                    called[inner.id] = None
            elif inner not in own:
                bound.add(inner.id)
    return Used(frozenset(bound), tuple(loaded), tuple(called))
