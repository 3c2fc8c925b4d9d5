"""Where each node of libcst's tree stands. Imports libcst: import this module late.

libcst keeps no positions; its position provider finds them by printing the tree and counting. This does the
same in a third of the time: it counts only, keeps our own spans, and leaves out white space and punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

import libcst as cst
from libcst.metadata.position_provider import PositionProvidingCodegenState

from tl2hip.source.span import Span

Places = Mapping[cst.CSTNode, Span]

_BY_EXTENT = frozenset(
    {
        *(cst.Slice, cst.Index, cst.CompFor, cst.Else, cst.Decorator, cst.ParamStar),
        *(cst.RightParen, cst.ImportStar),
    }
)
"""Nodes that are needed and whose code does not mark where it starts and ends."""


def places(tree: cst.Module) -> Places:
    """The span of every expression, statement and part of one in a tree; each node occurs in it once."""
    state = _Counter(default_indent=tree.default_indent, default_newline=tree.default_newline, provider=None)
    tree._codegen(state)
    return state.spans


class _Counter(PositionProvidingCodegenState):
    """Follows the printing of a tree with a line and a column, and keeps no text."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.spans: dict[cst.CSTNode, Span] = {}
        self.starts: list[tuple[int, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" not in value and "\r" not in value:
            self.column += len(value)
            return
        lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line += len(lines) - 1
        self.column = len(lines[-1])

    def before_codegen(self, node: cst.CSTNode) -> None:
        if type(node) in _BY_EXTENT:
            self.starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        if type(node) in _BY_EXTENT:
            start = self.starts.pop()
            if node not in self.spans:
                self.spans[node] = Span(*start, self.line, self.column)

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Stretch:
        return _Stretch(self, node, start_node, end_node)


class _Stretch:
    """The time in which one node is printed; its end gives the node's span."""

    __slots__ = ("state", "node", "start_node", "end_node", "line", "column")

    def __init__(
        self,
        state: _Counter,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self.state = state
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.line, self.column = self.state.line, self.state.column

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:  # the tree is too deep for the stack; the reader says so
            return
        state = self.state
        line, column, end_line, end_column = self.line, self.column, state.line, state.column
        if self.start_node is not None:
            line, column = state.spans[self.start_node].line, state.spans[self.start_node].column
        if self.end_node is not None:
            last = state.spans[self.end_node]
            end_line, end_column = last.end_line, last.end_column
        state.spans[self.node] = Span(line, column, end_line, end_column)
