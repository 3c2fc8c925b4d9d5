"""Which tensors a function writes, read off its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType

from tl2hip.notation.source import tree

WRITERS = frozenset(("fill", "sort", "put", "partition", "resize"))
"""Methods of an array that change it."""

FIRST = frozenset(("copyto", "put", "place", "putmask", "fill_diagonal", "at"))
"""Functions of NumPy (`at` is a ufunc's) that change their first argument."""


def written(function: FunctionType, ranks: Mapping[str, int]) -> frozenset[str]:
    """The parameters among `ranks` (name to number of axes) a call may write, through views and helpers too.

    All of them where the text of the function is not to be found: then nothing can be ruled out.
    """
    node = tree(function)
    if node is None:
        return frozenset(ranks)
    return frozenset(_Writes(function, node, ranks, ()).found)


class _Writes:
    """The writes of one function; `views` maps a local name to the parameter it may look into."""

    def __init__(
        self,
        function: FunctionType,
        node: ast.FunctionDef,
        ranks: Mapping[str, int],
        path: tuple[FunctionType, ...],
    ) -> None:
        self.function = function
        self.path = (*path, function)
        self.views = {name: (name, rank) for name, rank in ranks.items()}
        self.found: set[str] = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assign):
                for target in inner.targets:
                    self.name_view(target, inner.value)
            elif isinstance(inner, ast.AnnAssign) and inner.value is not None:
                self.name_view(inner.target, inner.value)
            elif isinstance(inner, ast.For):
                self.name_view(inner.target, _turn(inner.iter))
        for inner in ast.walk(node):
            self.visit(inner)

    def name_view(self, target: ast.expr, value: ast.expr) -> None:
        """Remembers that a name stands for a view, where it does; tuples name by tuples."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for part, given in zip(target.elts, value.elts, strict=False):
                self.name_view(part, given)
        view = self.view(value)
        if isinstance(target, ast.Name) and view is not None and target.id not in self.views:
            self.views[target.id] = view

    def view(self, node: ast.expr) -> tuple[str, int] | None:
        """The parameter that an expression looks into, and with how many axes; None where it is no view."""
        if isinstance(node, ast.Name):
            return self.views.get(node.id)
        if isinstance(node, ast.Attribute):
            return self.view(node.value) if node.attr == "T" else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self.view(node.func.value) if node.func.attr in ("reshape", "ravel", "transpose") else None
        if not isinstance(node, ast.Subscript):
            return None
        inner = self.view(node.value)
        if inner is None:
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        rank = inner[1] - sum(not isinstance(part, ast.Slice) for part in parts)
        return (inner[0], rank) if rank > 0 else None

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            self.mark(node.value)
        elif isinstance(node, ast.AugAssign):
            self.mark(node.target)
        elif isinstance(node, ast.Call):
            for argument in self.changed(node):
                self.mark(argument)

    def mark(self, node: ast.expr) -> None:
        view = self.view(node)
        if view is not None:
            self.found.add(view[0])

    def changed(self, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments of a call that it changes."""
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "out")
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in WRITERS:
                yield call.func.value
            if call.func.attr in FIRST and call.args:
                yield call.args[0]
        elif isinstance(call.func, ast.Name):
            yield from self.changed_by_helper(call, self.function.__globals__.get(call.func.id))

    def changed_by_helper(self, call: ast.Call, helper: object) -> Iterator[ast.expr]:
        helper = getattr(helper, "__wrapped__", helper)
        if not isinstance(helper, FunctionType) or helper in self.path:
            return
        names = helper.__code__.co_varnames
        given = dict(zip(names, call.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
        views = {name: view for name, value in given.items() if (view := self.view(value)) is not None}
        node = tree(helper)
        ranks = {name: view[1] for name, view in views.items()}
        changed = ranks if node is None else _Writes(helper, node, ranks, self.path).found
        yield from (given[name] for name in changed)


def _turn(turns: ast.expr) -> ast.expr:
    """What a loop over `turns` has in each turn, `enumerate` and `zip` seen through."""
    if isinstance(turns, ast.Call) and isinstance(turns.func, ast.Name) and not turns.keywords:
        if turns.func.id == "zip":
            return ast.Tuple([_turn(part) for part in turns.args], ast.Load())
        if turns.func.id == "enumerate" and turns.args:
            return ast.Tuple([ast.Constant(0), _turn(turns.args[0])], ast.Load())
    return ast.Subscript(turns, ast.Constant(0), ast.Load())
