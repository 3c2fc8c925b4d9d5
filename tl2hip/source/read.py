"""read: text → own small nodes with spans.

CPython's parser goes first and refuses what is not Python; libcst then parses the file once, positions are
computed once, and the functions that are asked for become own nodes. A file that cannot hold a kernel never
reaches libcst, whose import alone takes most of the time of a cold start.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from tl2hip.source.bindings import head, span
from tl2hip.source.depth import DEPTH
from tl2hip.source.nodes import Function, Import, Module
from tl2hip.source.problems import reading
from tl2hip.source.problems.base import Problem, Refused, Report
from tl2hip.source.recursion import find_recursion
from tl2hip.source.scan import Scan, Used, parse, scan, used
from tl2hip.source.span import Source, Span

if TYPE_CHECKING:
    import libcst

_IMPORTS = re.compile(r"\b(?:tl2hip|tilelang)\b")
_MARKS = re.compile(r"\b(?:kernel|Tensor|CompileKernel)\b")


def looks_like_kernels(text: str) -> bool:
    """Whether a text may hold a kernel: it speaks of tl2hip and of one of the marks of a kernel.

    Never wrong with False; True only means that the file must be parsed to know.
    """
    return _IMPORTS.search(text) is not None and _MARKS.search(text) is not None


def read(
    source: Source,
    report: Report,
    *,
    wanted: Collection[str] = (),
    every: bool = False,
    imports: tuple[Import, ...] = (),
) -> Module:
    """One file as own nodes: its kernels and the functions they call, its imports and its assignments.

    `wanted` names more functions to read as kernels, `every` takes all at file level. `imports` are in force
    where the file binds nothing else (a function read by itself, out of a running program).
    What cannot be read goes into `report`, all of it in one run; `Module.refused` names the functions that
    must not be used for it. Functions that no kernel calls are not read and not reported.
    """
    nothing = Module(source, (), (), ())
    if not (every or wanted or looks_like_kernels(source.text)):
        return nothing
    try:
        found = scan(*parse(source), imports)
    except Refused as refused:
        report.add(refused.problem)
        return nothing
    for node, holder in found.misplaced:
        report.add(reading.NotAtFileLevel(node.name, holder, at=head(node)))
    kernels = tuple(found.functions) if every else _chosen(found, wanted)
    if not kernels:
        return nothing
    try:
        return _lowered(source, report, found, kernels, imports)
    except RecursionError:
        report.add(reading.TooDeep(DEPTH, at=Span(1, 0, 1, 0)))
        return nothing
    except Refused as refused:
        report.add(refused.problem)
        return nothing


def _chosen(found: Scan, wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in found.functions if name in found.kernels or name in wanted)


def kernels(module: Module) -> tuple[Function, ...]:
    """The functions of a file that are kernels, in the order of the file; helper functions are left out."""
    return tuple(one for one in module.functions if one.name in module.kernels)


def find(module: Module, name: str) -> Function | None:
    """The function of a name at file level, where it was read."""
    return next((one for one in module.functions if one.name == name), None)


def _lowered(
    source: Source, report: Report, found: Scan, kernels: tuple[str, ...], imports: tuple[Import, ...]
) -> Module:
    """The module with the kernels and every function that they reach."""
    reached = _reached(found, kernels)
    tree = _parse_with_libcst(source)
    from tl2hip.source.lower_module import lower

    module, problems = lower(tree, source, found, reached)
    problems += _repeated(found, reached)
    problems += find_recursion(module.functions, reached)
    for _, problem in sorted(problems, key=lambda one: one[1].at):
        report.add(problem)
    refused = _spread({name for name, _ in problems}, reached)
    return Module(
        source,
        (*imports, *found.imports),
        module.functions,
        module.assignments,
        module.calls,
        module.compiled,
        kernels=kernels,
        refused=refused,
        unsettled=found.unsettled | module.unsettled,
        origins=found.origins,
    )


def _reached(found: Scan, kernels: Iterable[str]) -> dict[str, Used]:
    """The names used in the kernels, in the functions they name, and in those these name."""
    seen: dict[str, Used] = {}
    todo = list(kernels)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen[name] = used(found.functions[name])
            todo += [one for one in seen[name].called if one in found.functions]
    return seen


def _spread(refused: set[str], reached: dict[str, Used]) -> frozenset[str]:
    """The refused functions and all that name them, directly or not."""
    spread = set(refused)
    while more := {name for name in reached if name not in spread and spread.intersection(reached[name].loaded)}:
        spread |= more
    return frozenset(spread)


def _repeated(found: Scan, reached: dict[str, Used]) -> Iterator[tuple[str, Problem]]:
    """The functions that share their name. An assignment to a kernel's name after it changes only what the name
    means to others: it matters when one of these calls it."""
    for one in found.repeated:
        called = any(one.name in used.loaded for name, used in reached.items() if name != one.name)
        if one.name in reached and (one.by_definition or called):
            yield one.name, reading.DefinedTwice(one.name, one.first, at=one.at)


def _parse_with_libcst(source: Source) -> libcst.Module:
    """libcst's tree. Its import makes many long-lived objects: collecting meanwhile is time lost."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        import libcst
    finally:
        if collecting:
            gc.enable()
    try:
        return libcst.parse_module(source.text)
    except libcst.ParserSyntaxError as error:
        line, column = max(1, error.raw_line), max(0, error.raw_column)
        unknown = reading.UnknownSyntax(error.message, at=Span(line, column, line, column + 1))
        raise Refused(_bracketed(source) or unknown) from None


def _bracketed(source: Source) -> Problem | None:
    """The first annotation of what stands in brackets, which CPython knows and libcst does not."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.AnnAssign) and node.col_offset != node.target.col_offset:
            return reading.BracketedTarget(ast.unparse(node.target), at=span(node.target))
    return None
