"""Expressions of libcst's tree become own nodes, or a problem at their place.

Imports libcst: import this module late.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from unicodedata import normalize

import libcst as cst

from tl2hip.source import nodes
from tl2hip.source.names import resolve
from tl2hip.source.nodes import Expr, Keyword
from tl2hip.source.places import Places
from tl2hip.source.problems import reading
from tl2hip.source.problems.base import Problem
from tl2hip.source.span import Source, Span

BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}
UNARY: dict[type[cst.CSTNode], str] = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}
COMPARE: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
}
IDENTITY: dict[type[cst.CSTNode], str] = {cst.Is: "is", cst.IsNot: "is not"}
MEMBERSHIP: dict[type[cst.CSTNode], str] = {cst.In: "in", cst.NotIn: "not in"}
SUMMED_UP = frozenset(f"builtins.{name}" for name in ("sum", "min", "max", "any", "all"))


_ITEM_BY_ITEM = (cst.GeneratorExp, cst.ListComp)


class Expressions:
    """Turns expressions into own nodes; what has no node is refused into `problems` and stands as `Nothing`.

    A function with a problem is marked as refused, so the stand-in is never taken for the real thing.
    """

    def __init__(
        self,
        source: Source,
        places: Places,
        origins: Mapping[str, str],
        local: Collection[str],
        problems: list[Problem],
    ) -> None:
        self.source = source
        self.places = places
        self.origins = origins
        self.local = local
        self.problems = problems
        self._lines: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the file, split when they are first needed."""
        self._lines = self._lines or self.source.lines
        return self._lines

    def at(self, node: cst.CSTNode) -> Span:
        """Where a node stands."""
        return self.places[node]

    def refuse(self, problem: Problem) -> Expr:
        """Keep a problem; what stands in its place."""
        self.problems.append(problem)
        return nodes.Nothing(at=problem.at)

    def expression(self, node: cst.CSTNode) -> Expr:
        """The own node of an expression."""
        convert = _EXPRESSIONS.get(type(node))
        if convert is None:
            return self.refuse(reading.UnknownSyntax(type(node).__name__, at=self.at(node)))
        return convert(self, node)

    def all(self, many: Sequence[cst.CSTNode]) -> tuple[Expr, ...]:
        """The own nodes of several expressions."""
        return tuple(self.expression(one) for one in many)

    def origin(self, node: cst.CSTNode) -> str | None:
        """The canonical origin of a dotted name, else None."""
        text = dotted(node)
        return resolve(text, self.origins, self.local) if text else None

    # leaves

    def name(self, node: cst.Name) -> Expr:
        if node.value in ("True", "False"):
            return nodes.Bool(node.value == "True", at=self.at(node))
        if node.value == "None":
            return nodes.Nothing(at=self.at(node))
        return nodes.Name(known(node), at=self.at(node))

    def integer(self, node: cst.Integer) -> Expr:
        return nodes.Number(int(node.value, 0), at=self.at(node))

    def float_number(self, node: cst.Float) -> Expr:
        return nodes.Number(float(node.value), at=self.at(node))

    def imaginary(self, node: cst.Imaginary) -> Expr:
        instead = "carry the real and the imaginary part as two floats"
        return self.refuse(reading.OtherLiteral("a complex number", instead, at=self.at(node)))

    def ellipsis(self, node: cst.Ellipsis) -> Expr:
        return nodes.Ellipsis_(at=self.at(node))

    def text(self, node: cst.SimpleString | cst.ConcatenatedString) -> Expr:
        value = node.evaluated_value
        if isinstance(value, bytes):
            instead = "use an array of u8"
            return self.refuse(reading.OtherLiteral("a bytes literal", instead, at=self.at(node)))
        if value is None:
            return self.formatted(node)
        return nodes.Text(value, at=self.at(node))

    def formatted(self, node: cst.CSTNode) -> Expr:
        return self.refuse(reading.FormattedText(at=self.at(node)))

    # operators

    def unary(self, node: cst.UnaryOperation) -> Expr:
        op = UNARY[type(node.operator)]
        return nodes.Unary(op, self.expression(node.expression), at=self.at(node))

    def binary(self, node: cst.BinaryOperation) -> Expr:
        op = BINARY[type(node.operator)]
        return nodes.Binary(op, self.expression(node.left), self.expression(node.right), at=self.at(node))

    def logic(self, node: cst.BooleanOperation) -> Expr:
        op = "and" if isinstance(node.operator, cst.And) else "or"
        left, right = self.expression(node.left), self.expression(node.right)
        values = (*_terms(op, left), *_terms(op, right))
        return nodes.Logic(op, values, at=self.at(node))

    def comparison(self, node: cst.Comparison) -> Expr:
        first = self.expression(node.left)
        rest = self.all([one.comparator for one in node.comparisons])
        ops: list[str] = []
        for one in node.comparisons:
            kind = type(one.operator)
            if kind in IDENTITY:
                self.refuse(reading.Identity(IDENTITY[kind], at=self.at(node)))
            elif kind in MEMBERSHIP:
                self.refuse(reading.Membership(MEMBERSHIP[kind], at=self.at(node)))
            else:
                ops.append(COMPARE[kind])
        if len(ops) < len(rest):
            return nodes.Nothing(at=self.at(node))
        return nodes.Compare(first, tuple(ops), rest, at=self.at(node))

    def conditional(self, node: cst.IfExp) -> Expr:
        then, test, orelse = self.all([node.body, node.test, node.orelse])
        return nodes.IfExp(test, then, orelse, at=self.at(node))

    def walrus(self, node: cst.NamedExpr) -> Expr:
        self.refuse(reading.Walrus(at=self.at(node)))
        return self.expression(node.value)

    # parts and calls

    def attribute(self, node: cst.Attribute) -> Expr:
        return nodes.Attribute(self.expression(node.value), known(node.attr), at=self.at(node))

    def subscript(self, node: cst.Subscript) -> Expr:
        value = self.expression(node.value)
        index = tuple(self.index(one) for one in node.slice)
        alone = len(node.slice) == 1 and not isinstance(node.slice[0].comma, cst.Comma)
        if alone and isinstance(index[0], nodes.Tuple_):
            index = index[0].items
        return nodes.Subscript(value, index, at=self.at(node))

    def index(self, element: cst.SubscriptElement) -> Expr:
        part = element.slice
        if isinstance(part, cst.Slice):
            start, stop, step = (
                None if one is None else self.expression(one) for one in (part.lower, part.upper, part.step)
            )
            return nodes.Slice(start, stop, step, at=self.without_space(self.at(part)))
        if not isinstance(part, cst.Index):
            return self.refuse(reading.UnknownSyntax(type(part).__name__, at=self.at(part)))
        if part.star is not None:
            return self.starred(part.value, part)
        return self.expression(part.value)

    def without_space(self, at: Span) -> Span:
        """The span without blanks at its end, which libcst counts to the last colon of a slice."""
        lines, end_line = self.lines, at.end_line
        text = lines[end_line - 1][: at.end_column].rstrip()
        while not text and end_line > at.line:
            end_line -= 1
            text = lines[end_line - 1].rstrip()
        return Span(at.line, at.column, end_line, len(text))

    def call(self, node: cst.Call) -> Expr:
        func = self.expression(node.func)
        args: list[Expr] = []
        keywords: list[Keyword] = []
        for position, arg in enumerate(node.args):
            if arg.star:
                args.append(self.starred(arg.value, arg))
            elif arg.keyword is not None:
                keywords.append(Keyword(known(arg.keyword), self.expression(arg.value), at=self.at(arg)))
            elif position == 0 and isinstance(arg.value, _ITEM_BY_ITEM) and self.origin(node.func) in SUMMED_UP:
                args.append(self.summed_up(arg.value, arg.value.for_in))
            else:
                args.append(self.expression(arg.value))
        return nodes.Call(func, tuple(args), tuple(keywords), at=self.at(node))

    def starred(self, value: cst.BaseExpression, whole: cst.CSTNode) -> Expr:
        at = self.at(whole)
        self.expression(value)
        return self.refuse(reading.Starred(self.shown(at), at=at))

    def starred_element(self, node: cst.StarredElement) -> Expr:
        return self.starred(node.value, node)

    def shown(self, at: Span) -> str:
        """The source text of a span, cut to its first line and forty characters."""
        line = self.lines[at.line - 1]
        text = line[at.column : at.end_column if at.end_line == at.line else None].rstrip()
        return text if len(text) <= 40 else text[:39] + "…"

    # displays

    def tuple_display(self, node: cst.Tuple) -> Expr:
        at = self.at(node)
        if not node.elements:  # brackets do not belong to a tuple, and it has nothing else to point at
            at = Span(at.line, at.column, at.end_line, at.end_column + 1)
        return nodes.Tuple_(self.elements(node.elements), at=at)

    def list_display(self, node: cst.List) -> Expr:
        return nodes.List_(self.elements(node.elements), at=self.at(node))

    def elements(self, many: Sequence[cst.BaseElement]) -> tuple[Expr, ...]:
        """The items of a tuple or list display."""
        return tuple(
            self.starred_element(one) if isinstance(one, cst.StarredElement) else self.expression(one.value)
            for one in many
        )

    def hashed(self, node: cst.Set | cst.Dict) -> Expr:
        what = "a set" if isinstance(node, cst.Set) else "a dictionary"
        return self.refuse(reading.HashedContainer(what, at=self.at(node)))

    def comprehension(self, node: cst.ListComp | cst.SetComp | cst.DictComp) -> Expr:
        kinds = {cst.ListComp: "a list", cst.SetComp: "a set", cst.DictComp: "a dictionary"}
        what = f"{kinds[type(node)]} comprehension"
        return self.refuse(reading.BuiltContainer(what, at=self.at(node)))

    def generator(self, node: cst.GeneratorExp) -> Expr:
        what = "a generator that is not the argument of sum, min, max, any or all"
        return self.refuse(reading.GeneratorPlace(what, at=self.at(node)))

    def summed_up(self, node: cst.GeneratorExp | cst.ListComp, loop: cst.CompFor) -> Expr:
        """The generator that is the first argument of sum or its kin, from one of its `for`s on. A list of the same
        items is as good: nothing else can see it."""
        if loop.asynchronous is not None:
            return self.refuse(reading.Suspends("async for", at=self.at(loop)))
        inner = loop.inner_for_in
        return nodes.Generator(
            self.expression(node.elt) if inner is None else self.summed_up(node, inner),
            self.loop_target(loop.target),
            self.expression(loop.iter),
            self.all([one.test for one in loop.ifs]),
            at=self.at(node),
        )

    # functions and pauses

    def function_value(self, node: cst.Lambda) -> Expr:
        return self.refuse(reading.DefinitionInside("a lambda", at=self.at(node)))

    def pause(self, node: cst.Yield | cst.Await) -> Expr:
        word = "await" if isinstance(node, cst.Await) else "yield"
        return self.refuse(reading.Suspends(word, at=self.at(node)))

    # targets

    def target(self, node: cst.CSTNode, verb: str) -> Expr:
        """What is assigned to: a name, a subscript, or a tuple of these."""
        if isinstance(node, (cst.Tuple, cst.List)):
            items = tuple(
                self.starred_element(one) if isinstance(one, cst.StarredElement) else self.target(one.value, verb)
                for one in node.elements
            )
            return nodes.Tuple_(items, at=self.at(node))
        if isinstance(node, (cst.Name, cst.Subscript)):
            return self.expression(node)
        return self.other_target(node, verb)

    def other_target(self, node: cst.CSTNode, verb: str) -> Expr:
        kinds = {cst.Attribute: "an attribute", cst.Subscript: "an element", cst.Tuple: "a tuple"}
        what = kinds.get(type(node), "this")
        instead = "use a variable" if verb != "assigned to" else "assign to a variable or to an array element"
        return self.refuse(reading.OtherTarget(what, verb, instead, at=self.at(node)))

    def loop_target(self, node: cst.CSTNode) -> Expr:
        """What a loop runs over: a name or a tuple of names."""
        if isinstance(node, (cst.Tuple, cst.List)):
            items = tuple(
                self.starred_element(one) if isinstance(one, cst.StarredElement) else self.loop_target(one.value)
                for one in node.elements
            )
            return nodes.Tuple_(items, at=self.at(node))
        if isinstance(node, cst.Name):
            return self.name(node)
        return self.other_target(node, "a loop variable")


def _terms(op: str, value: Expr) -> tuple[Expr, ...]:
    """The values of `a and b` for a longer `and` around it, else the value itself."""
    return value.values if isinstance(value, nodes.Logic) and value.op == op else (value,)


def dotted(node: cst.CSTNode) -> str | None:
    """`a.b.c` as text, None for any other expression."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(known(node.attr))
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([known(node), *reversed(parts)])


def known(node: cst.Name) -> str:
    """A name as Python knows it: two spellings with one NFKC form are one name."""
    return node.value if node.value.isascii() else normalize("NFKC", node.value)


_Convert = Callable[..., Expr]

_EXPRESSIONS: dict[type[cst.CSTNode], _Convert] = {
    cst.Name: Expressions.name,
    cst.Integer: Expressions.integer,
    cst.Float: Expressions.float_number,
    cst.Imaginary: Expressions.imaginary,
    cst.Ellipsis: Expressions.ellipsis,
    cst.SimpleString: Expressions.text,
    cst.ConcatenatedString: Expressions.text,
    cst.FormattedString: Expressions.formatted,
    cst.UnaryOperation: Expressions.unary,
    cst.BinaryOperation: Expressions.binary,
    cst.BooleanOperation: Expressions.logic,
    cst.Comparison: Expressions.comparison,
    cst.IfExp: Expressions.conditional,
    cst.NamedExpr: Expressions.walrus,
    cst.Attribute: Expressions.attribute,
    cst.Subscript: Expressions.subscript,
    cst.Call: Expressions.call,
    cst.Tuple: Expressions.tuple_display,
    cst.List: Expressions.list_display,
    cst.Set: Expressions.hashed,
    cst.Dict: Expressions.hashed,
    cst.ListComp: Expressions.comprehension,
    cst.SetComp: Expressions.comprehension,
    cst.DictComp: Expressions.comprehension,
    cst.GeneratorExp: Expressions.generator,
    cst.Lambda: Expressions.function_value,
    cst.Yield: Expressions.pause,
    cst.Await: Expressions.pause,
}
"""How each kind of expression is converted. What is not in it is refused: unknown node = error."""

for _newer in ("TemplatedString",):
    if hasattr(cst, _newer):
        _EXPRESSIONS[getattr(cst, _newer)] = Expressions.formatted
