"""The file level of libcst's tree: which statements of a file become own nodes.

Imports libcst: import this module late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from tl2hip.source import nodes
from tl2hip.source.bindings import COMPILES
from tl2hip.source.lower_expressions import dotted, known
from tl2hip.source.lower_statements import Statements
from tl2hip.source.names import resolve
from tl2hip.source.nodes import AnnAssign, Assign, Call, Expr, Function, Module
from tl2hip.source.places import Places, places
from tl2hip.source.problems.base import Problem
from tl2hip.source.scan import Scan, Used
from tl2hip.source.span import Source
from tl2hip.source.walk import target_names


def lower(
    tree: cst.Module, source: Source, found: Scan, reached: Mapping[str, Used]
) -> tuple[Module, list[tuple[str, Problem]]]:
    """The functions `reached`, the assignments and constant calls of a file, and the problems by function."""
    spans = places(tree)
    functions: list[Function] = []
    problems: list[tuple[str, Problem]] = []
    for node in definitions(tree.body):
        name = known(node.name)
        definition = found.functions.get(name)
        if name not in reached or definition is None or spans[node.name].line != definition.lineno:
            continue
        own: list[Problem] = []
        made = Statements(source, spans, found.origins, reached[name].bound, own).function(node)
        functions.append(made)
        problems += [(name, one) for one in own]
    assignments, unsettled = _assignments(tree, source, spans, found)
    calls = tuple(_file_calls(tree, source, spans, found))
    constant = tuple(c for c in calls if _own(c, found) and all(map(_constant, _values(c))))
    compiled = tuple(c for c in calls if not _own(c, found))
    module = Module(source, (), tuple(functions), assignments, constant, compiled, unsettled=unsettled)
    return module, problems


def definitions(body: Sequence[cst.CSTNode]) -> Iterator[cst.FunctionDef]:
    """The functions at file level, those under an `if` or `try` included."""
    for node in body:
        if isinstance(node, cst.FunctionDef):
            yield node
        elif not isinstance(node, cst.ClassDef):
            yield from definitions(list(_blocks(node)))


def _blocks(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements of all blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        part = getattr(node, name, None)
        if isinstance(part, cst.BaseSuite):
            yield from part.body
        elif isinstance(part, (cst.Else, cst.Finally)):
            yield from part.body.body
        elif isinstance(part, cst.CSTNode):
            yield part
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from part.body.body


def _assignments(
    tree: cst.Module, source: Source, spans: Places, found: Scan
) -> tuple[tuple[Assign | AnnAssign, ...], frozenset[str]]:
    """The file-level assignments that have a node, and the names bound by those that have none."""
    kept: list[Assign | AnnAssign] = []
    lost: set[str] = set()
    for line in tree.body:
        for node in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if not isinstance(node, (cst.Assign, cst.AnnAssign)):
                continue
            own: list[Problem] = []
            made = Statements(source, spans, found.origins, (), own).statement(node)
            assert isinstance(made, (Assign, AnnAssign))
            if not own:
                kept.append(made)
                continue
            targets = made.targets if isinstance(made, Assign) else (made.target,)
            lost.update(name for target in targets for name in target_names(target))
    return tuple(kept), frozenset(lost)


def _file_calls(tree: cst.Module, source: Source, spans: Places, found: Scan) -> Iterator[Call]:
    """The calls `f(M=1024)` of the file's own functions, and those of `CompileKernel`, in order."""
    for call in _calls(tree.body, spans, found):
        own: list[Problem] = []
        made = Statements(source, spans, found.origins, (), own).expression(call)
        if not own and isinstance(made, Call):
            yield made


def _own(call: Call, found: Scan) -> bool:
    """Whether a call is one of a function of the file."""
    return isinstance(call.func, nodes.Name) and call.func.id in found.functions


def _values(call: Call) -> tuple[Expr, ...]:
    return (*call.args, *(one.value for one in call.keywords))


def _calls(body: Sequence[cst.CSTNode], spans: Places, found: Scan) -> Iterator[cst.Call]:
    """The calls of file-level functions, and of `CompileKernel`, in file-level statements, in order."""
    for node in body:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            continue
        if isinstance(node, cst.BaseCompoundStatement):
            yield from _calls(list(_blocks(node)), spans, found)
            continue
        first, last = spans[node].line, spans[node].end_line
        stack: list[cst.CSTNode] = [node] if any(first <= line <= last for line in found.called_on) else []
        while stack:
            one = stack.pop()
            if isinstance(one, cst.Call):
                text = dotted(one.func)
                if text in found.functions or (text and resolve(text, found.origins) == COMPILES):
                    yield one
            stack.extend(reversed(one.children))


def _constant(value: Expr) -> bool:
    """Whether a value is written out: a number, text, or a tuple or list of these."""
    if isinstance(value, nodes.Unary):
        return value.op in ("-", "+") and isinstance(value.value, nodes.Number)
    if isinstance(value, (nodes.Tuple_, nodes.List_)):
        return all(_constant(item) for item in value.items)
    return isinstance(value, (nodes.Number, nodes.Bool, nodes.Text, nodes.Nothing))
