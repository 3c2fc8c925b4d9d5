"""Statements and functions of libcst's tree become own nodes. Imports libcst: import it late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import libcst as cst

from tl2hip.source import nodes
from tl2hip.source.bindings import JITS
from tl2hip.source.lower_expressions import BINARY, Expressions, dotted, known
from tl2hip.source.nodes import Expr, Function, Parameter, Stmt
from tl2hip.source.problems import reading

AUGMENTED: dict[type[cst.CSTNode], str] = {
    getattr(cst, kind.__name__ + "Assign"): op for kind, op in BINARY.items()
}
OWN_CONTEXTS = frozenset({"tl2hip.PipelineStage", "tl2hip.Unroll"})

Suite: TypeAlias = "cst.BaseSuite"

_JITTED = ("njit", "jit", "vectorize")
_JITTED_WAY = "take it off, or import numba's own with no stand-in: what a stand-in does is not read"


class Statements(Expressions):
    """Turns statements into own nodes; each statement gives at most one."""

    def body(self, suite: Suite) -> tuple[Stmt, ...]:
        """The statements of a block, `if x: y; z` on one line included."""
        return self.statements(suite.body)

    def statements(self, many: Sequence[cst.CSTNode]) -> tuple[Stmt, ...]:
        """The own statements of a sequence of libcst's."""
        found: list[Stmt] = []
        for one in many:
            parts = one.body if isinstance(one, cst.SimpleStatementLine) else (one,)
            found.extend(made for part in parts if (made := self.statement(part)) is not None)
        return tuple(found)

    def statement(self, node: cst.CSTNode) -> Stmt | None:
        """The own node of one statement; None when it is refused."""
        convert = _STATEMENTS.get(type(node))
        if convert is None:
            self.refuse(reading.UnknownSyntax(type(node).__name__, at=self.at(node)))
            return None
        return convert(self, node)

    # assignments

    def assign(self, node: cst.Assign) -> Stmt:
        targets = tuple(self.target(one.target, "assigned to") for one in node.targets)
        return nodes.Assign(targets, self.expression(node.value), at=self.at(node))

    def annotated(self, node: cst.AnnAssign) -> Stmt:
        if isinstance(node.target, cst.Name):
            target: Expr = self.name(node.target)
        else:
            target = self.other_target(node.target, "annotated")
        annotation = self.annotation(node.annotation.annotation)
        value = None if node.value is None else self.expression(node.value)
        return nodes.AnnAssign(target, annotation, value, at=self.at(node))

    def augmented(self, node: cst.AugAssign) -> Stmt:
        op = AUGMENTED[type(node.operator)]
        if isinstance(node.target, (cst.Name, cst.Subscript)):
            target = self.expression(node.target)
        else:
            target = self.other_target(node.target, "assigned to")
        return nodes.AugAssign(target, op, self.expression(node.value), at=self.at(node))

    # blocks

    def for_loop(self, node: cst.For) -> Stmt:
        if node.asynchronous is not None:
            self.refuse(reading.Suspends("async for", at=self.at(node)))
        target = self.loop_target(node.target)
        iterable = self.expression(node.iter)
        body = self.body(node.body)
        self.loop_else(node.orelse, "for")
        return nodes.For(target, iterable, body, at=self.at(node))

    def while_loop(self, node: cst.While) -> Stmt:
        test = self.expression(node.test)
        body = self.body(node.body)
        self.loop_else(node.orelse, "while")
        return nodes.While(test, body, at=self.at(node))

    def loop_else(self, orelse: cst.Else | None, loop: str) -> None:
        if orelse is not None:
            self.refuse(reading.LoopElse(loop, at=self.at(orelse)))
            self.body(orelse.body)

    def branch(self, node: cst.If) -> Stmt:
        test = self.expression(node.test)
        then = self.body(node.body)
        orelse: tuple[Stmt, ...] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (self.branch(node.orelse),)
        elif node.orelse is not None:
            orelse = self.body(node.orelse.body)
        return nodes.If(test, then, orelse, at=self.at(node))

    def with_block(self, node: cst.With) -> Stmt:
        first = node.items[0]
        own = isinstance(first.item, cst.Call) and self.origin(first.item.func) in OWN_CONTEXTS
        if node.asynchronous is not None:
            self.refuse(reading.Suspends("async with", at=self.at(node)))
        elif not own or len(node.items) > 1 or first.asname is not None:
            items = self.at(first).to(self.at(node.items[-1]))
            at = self.at(node).to(items)
            self.refuse(reading.OtherContext(self.shown(items), at=at))
        return nodes.With(self.expression(first.item), self.body(node.body), at=self.at(node))

    def try_block(self, node: cst.Try | cst.TryStar) -> None:
        self.refuse(reading.Exceptions("try", at=self.at(node)))
        self.body(node.body)
        for handler in node.handlers:
            self.body(handler.body)
        for part in (node.orelse, node.finalbody):
            if part is not None:
                self.body(part.body)

    def match_block(self, node: cst.Match) -> None:
        self.refuse(reading.MatchInside(at=self.at(node)))
        for case in node.cases:
            self.body(case.body)

    # simple statements

    def evaluate(self, node: cst.Expr) -> Stmt:
        return nodes.Evaluate(self.expression(node.value), at=self.at(node))

    def give_back(self, node: cst.Return) -> Stmt:
        value = None if node.value is None else self.expression(node.value)
        return nodes.Return(value, at=self.at(node))

    def require(self, node: cst.Assert) -> Stmt:
        message = None if node.msg is None else self.message(node.msg)
        return nodes.Assert(self.expression(node.test), message, at=self.at(node))

    def message(self, node: cst.BaseExpression) -> Expr:
        """The message of an assert; formatted text is kept as it is written, braces and all."""
        if isinstance(node, cst.FormattedString):
            at = self.at(node)
            text = self.shown(at)[len(node.start) :].removesuffix(node.end)
            return nodes.Text(text, at=at)
        return self.expression(node)

    def leave(self, node: cst.Break) -> Stmt:
        return nodes.Break(at=self.at(node))

    def skip(self, node: cst.Continue) -> Stmt:
        return nodes.Continue(at=self.at(node))

    def nothing(self, node: cst.Pass) -> Stmt:
        return nodes.Pass(at=self.at(node))

    # refused statements

    def raises(self, node: cst.Raise) -> None:
        self.refuse(reading.Exceptions("raise", at=self.at(node)))

    def deletes(self, node: cst.Del) -> None:
        self.refuse(reading.Deletes(at=self.at(node)))

    def outer_names(self, node: cst.Global | cst.Nonlocal) -> None:
        word = "global" if isinstance(node, cst.Global) else "nonlocal"
        names = ", ".join(known(one.name) for one in node.names)
        self.refuse(reading.OuterNames(word, names, at=self.at(node)))

    def imports(self, node: cst.Import | cst.ImportFrom) -> None:
        self.refuse(reading.ImportInside(at=self.at(node)))

    def definition(self, node: cst.FunctionDef | cst.ClassDef) -> None:
        what = "a class" if isinstance(node, cst.ClassDef) else "a function"
        self.refuse(reading.DefinitionInside(f"{what} defined", at=self.at(node)))

    def type_name(self, node: cst.CSTNode) -> None:
        self.refuse(reading.DefinitionInside("a type defined", at=self.at(node)))

    # functions

    def function(self, node: cst.FunctionDef) -> Function:
        """A function at file level, with its own names already in `local`."""
        at = self.at(node)
        if node.asynchronous is not None:
            self.refuse(reading.Suspends("async def", at=self.at(node.asynchronous)))
        if getattr(node, "type_parameters", None) is not None:
            self.refuse(reading.TypeParameters(node.name.value, at=self.at(node.name)))
        decorators = tuple(self.decorator(one) for one in node.decorators)
        parameters = self.parameters(node.params)
        returns = None if node.returns is None else self.annotation(node.returns.annotation)
        body, doc = _documented(self.body(node.body))
        return Function(known(node.name), parameters, body, decorators, returns, doc, at=at)

    def decorator(self, node: cst.Decorator) -> Expr:
        called = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
        made = self.expression(node.decorator)
        if self.file_origin(called) not in ("tl2hip.kernel", *JITS):
            at = self.at(node)
            told = reading.OtherDecorator(self.shown(at), at=at)
            if (dotted(called) or "").rpartition(".")[2] in _JITTED:
                told = replace(told, way=_JITTED_WAY)
            self.refuse(told)
        return made

    def file_origin(self, node: cst.CSTNode) -> str | None:
        """The origin of a name that is looked up outside of the function: its own names do not hide it."""
        inside, self.local = self.local, ()
        try:
            return self.origin(node)
        finally:
            self.local = inside

    def parameters(self, node: cst.Parameters) -> tuple[Parameter, ...]:
        for star, what in ((node.star_arg, "*"), (node.star_kwarg, "**")):
            if isinstance(star, cst.Param):
                self.refuse(reading.OpenParameters(what + star.name.value, at=self.at(star)))
        plain = [self.parameter(one, False) for one in (*node.posonly_params, *node.params)]
        return (*plain, *(self.parameter(one, True) for one in node.kwonly_params))

    def parameter(self, node: cst.Param, keyword_only: bool) -> Parameter:
        annotation = None if node.annotation is None else self.annotation(node.annotation.annotation)
        default = None if node.default is None else self.expression(node.default)
        return Parameter(known(node.name), annotation, default, keyword_only, at=self.at(node))

    # annotations

    def annotation(self, node: cst.BaseExpression) -> Expr:
        """An annotation; one in quotes is the expression that it quotes."""
        if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
            value = node.evaluated_value
            if isinstance(value, str):
                return self.quoted(value, node)
        return self.expression(node)

    def quoted(self, text: str, node: cst.SimpleString | cst.ConcatenatedString) -> Expr:
        """The expression in a string. Its nodes stand where the string stands."""
        from tl2hip.source.quoted import parse_quoted, reason_against

        at = self.at(node)
        reason = reason_against(text)
        if reason is not None:
            return self.refuse(reading.AnnotationText(reason, at=at))
        exact = isinstance(node, cst.SimpleString) and node.raw_value == text and at.line == at.end_line
        start = at.column + len(node.prefix) + len(node.quote) if isinstance(node, cst.SimpleString) else 0
        tree, places = parse_quoted(text, at, start if exact else None)
        inner = Expressions(self.source, places, self.origins, self.local, self.problems)
        return inner.expression(tree)


def _documented(body: tuple[Stmt, ...]) -> tuple[tuple[Stmt, ...], str | None]:
    """The body without its docstring, and the docstring."""
    if body and isinstance(body[0], nodes.Evaluate) and isinstance(body[0].value, nodes.Text):
        return body[1:], body[0].value.value
    return body, None


_Convert = Callable[..., "Stmt | None"]

_STATEMENTS: dict[type[cst.CSTNode], _Convert] = {
    cst.Assign: Statements.assign,
    cst.AnnAssign: Statements.annotated,
    cst.AugAssign: Statements.augmented,
    cst.For: Statements.for_loop,
    cst.While: Statements.while_loop,
    cst.If: Statements.branch,
    cst.With: Statements.with_block,
    cst.Try: Statements.try_block,
    cst.TryStar: Statements.try_block,
    cst.Match: Statements.match_block,
    cst.Expr: Statements.evaluate,
    cst.Return: Statements.give_back,
    cst.Assert: Statements.require,
    cst.Break: Statements.leave,
    cst.Continue: Statements.skip,
    cst.Pass: Statements.nothing,
    cst.Raise: Statements.raises,
    cst.Del: Statements.deletes,
    cst.Global: Statements.outer_names,
    cst.Nonlocal: Statements.outer_names,
    cst.Import: Statements.imports,
    cst.ImportFrom: Statements.imports,
    cst.FunctionDef: Statements.definition,
    cst.ClassDef: Statements.definition,
}
"""How each kind of statement is converted. What is not in it is refused: unknown node = error."""

for _newer in ("TypeAlias",):
    if hasattr(cst, _newer):
        _STATEMENTS[getattr(cst, _newer)] = Statements.type_name
