"""Every node type of the running Python, put into a kernel, is lowered or refused at its line."""

from __future__ import annotations

import ast
import sys
import warnings

import pytest

from tests.source.reading import FIRST, in_kernel, read_text
from tl2hip.source.nodes import Module

LOWERED = ""

IN_A_BODY: dict[str, tuple[str, str]] = {
    # statements
    "Return": ("return X", LOWERED),
    "Assign": ("y = 1", LOWERED),
    "AugAssign": ("y += 1", LOWERED),
    "AnnAssign": ("y: int = 1", LOWERED),
    "For": ("for i in range(N): pass", LOWERED),
    "While": ("while N: pass", LOWERED),
    "If": ("if N: pass", LOWERED),
    "With": ("with tl.Unroll(4): pass", LOWERED),
    "withitem": ("with tl.PipelineStage(stage=2): pass", LOWERED),
    "Assert": ("assert N", LOWERED),
    "Expr": ("N", LOWERED),
    "Pass": ("pass", LOWERED),
    "Break": ("while N: break", LOWERED),
    "Continue": ("while N: continue", LOWERED),
    "FunctionDef": ("def f(): pass", "TL114"),
    "AsyncFunctionDef": ("async def f(): pass", "TL114"),
    "ClassDef": ("class C: pass", "TL114"),
    "TypeAlias": ("type T = int", "TL114"),
    "Delete": ("del X", "TL126"),
    "AsyncFor": ("async for i in X: pass", "TL123"),
    "AsyncWith": ("async with X: pass", "TL123"),
    "Match": ("match N:\n    case 1: pass", "TL125"),
    "match_case": ("match N:\n    case 1: pass", "TL125"),
    "MatchValue": ("match N:\n    case 1: pass", "TL125"),
    "MatchSingleton": ("match N:\n    case None: pass", "TL125"),
    "MatchSequence": ("match N:\n    case [1]: pass", "TL125"),
    "MatchMapping": ("match N:\n    case {1: 2}: pass", "TL125"),
    "MatchClass": ("match N:\n    case int(): pass", "TL125"),
    "MatchStar": ("match N:\n    case [*a]: pass", "TL125"),
    "MatchAs": ("match N:\n    case a: pass", "TL125"),
    "MatchOr": ("match N:\n    case 1 | 2: pass", "TL125"),
    "Raise": ("raise N", "TL121"),
    "Try": ("try: pass\nfinally: pass", "TL121"),
    "TryStar": ("try: pass\nexcept* ValueError: pass", "TL121"),
    "ExceptHandler": ("try: pass\nexcept ValueError: pass", "TL121"),
    "Import": ("import math", "TL116"),
    "ImportFrom": ("from math import exp", "TL116"),
    "alias": ("import math as m", "TL116"),
    "Global": ("global g", "TL124"),
    "Nonlocal": ("def f():\n    nonlocal X", "TL114"),
    # expressions
    "BoolOp": ("y = N and M", LOWERED),
    "NamedExpr": ("y = (z := N)", "TL130"),
    "BinOp": ("y = N + 1", LOWERED),
    "UnaryOp": ("y = -N", LOWERED),
    "Lambda": ("y = lambda: 1", "TL114"),
    "IfExp": ("y = 1 if N else 2", LOWERED),
    "Dict": ("y = {1: 2}", "TL132"),
    "Set": ("y = {1}", "TL132"),
    "ListComp": ("y = [x for x in X]", "TL131"),
    "SetComp": ("y = {x for x in X}", "TL131"),
    "DictComp": ("y = {x: x for x in X}", "TL131"),
    "GeneratorExp": ("y = sum(x for x in X)", LOWERED),
    "comprehension": ("y = max(x for x in X if x)", LOWERED),
    "Await": ("y = await X", "TL123"),
    "Yield": ("y = yield X", "TL123"),
    "YieldFrom": ("yield from X", "TL123"),
    "Compare": ("y = N < M <= 3", LOWERED),
    "Call": ("y = f32(N)", LOWERED),
    "FormattedValue": ('y = f"{N}"', "TL134"),
    "JoinedStr": ('y = f"a"', "TL134"),
    "TemplateStr": ('y = t"a"', "TL134"),
    "Interpolation": ('y = t"{N}"', "TL134"),
    "Constant": ("y = 1", LOWERED),
    "Attribute": ("y = X.T", LOWERED),
    "Subscript": ("y = X[1]", LOWERED),
    "Starred": ("y = f32(*X)", "TL128"),
    "Name": ("y = X", LOWERED),
    "List": ("y = [1, 2]", LOWERED),
    "Tuple": ("y = 1, 2", LOWERED),
    "Slice": ("y = X[1:2]", LOWERED),
    "keyword": ("y = np.sum(X, axis=0)", LOWERED),
    "arguments": ("y = lambda a, /, b=1, *c, d, **e: 1", "TL114"),
    "arg": ("y = lambda a: 1", "TL114"),
    # type parameters
    "TypeVar": ("type T[A] = A", "TL114"),
    "ParamSpec": ("type T[**A] = A", "TL114"),
    "TypeVarTuple": ("type T[*A] = A", "TL114"),
    # operators
    "And": ("y = N and M", LOWERED),
    "Or": ("y = N or M", LOWERED),
    "Add": ("y = N + M", LOWERED),
    "Sub": ("y = N - M", LOWERED),
    "Mult": ("y = N * M", LOWERED),
    "MatMult": ("y = X @ Y", LOWERED),
    "Div": ("y = N / M", LOWERED),
    "Mod": ("y = N % M", LOWERED),
    "Pow": ("y = N ** M", LOWERED),
    "LShift": ("y = N << M", LOWERED),
    "RShift": ("y = N >> M", LOWERED),
    "BitOr": ("y = N | M", LOWERED),
    "BitXor": ("y = N ^ M", LOWERED),
    "BitAnd": ("y = N & M", LOWERED),
    "FloorDiv": ("y = N // M", LOWERED),
    "Invert": ("y = ~N", LOWERED),
    "Not": ("y = not N", LOWERED),
    "UAdd": ("y = +N", LOWERED),
    "USub": ("y = -N", LOWERED),
    "Eq": ("y = N == M", LOWERED),
    "NotEq": ("y = N != M", LOWERED),
    "Lt": ("y = N < M", LOWERED),
    "LtE": ("y = N <= M", LOWERED),
    "Gt": ("y = N > M", LOWERED),
    "GtE": ("y = N >= M", LOWERED),
    "Is": ("y = N is M", "TL135"),
    "IsNot": ("y = N is not M", "TL135"),
    "In": ("y = N in X", "TL136"),
    "NotIn": ("y = N not in X", "TL136"),
}
"""A statement with each node type, and the code that refuses it."""

NEVER_IN_A_BODY = {
    "Module", "Interactive", "Expression", "FunctionType",  # what a parse gives as a whole
    "TypeIgnore",  # only with type comments on
    "Load", "Store", "Del",  # how a name is used; each name says it again
}  # fmt: skip
OLD = {
    "Num", "Str", "Bytes", "NameConstant", "Ellipsis",  # written as Constant since 3.8
    "slice", "Index", "ExtSlice", "Suite", "AugLoad", "AugStore", "Param",  # no longer made
}  # fmt: skip
SINCE = {
    "TryStar": (3, 11), "TypeAlias": (3, 12), "TypeVar": (3, 12), "ParamSpec": (3, 12),
    "TypeVarTuple": (3, 12), "TemplateStr": (3, 14), "Interpolation": (3, 14),
}  # fmt: skip
ONLY_ASYNC = {"AsyncFor", "AsyncWith", "Await"}


def leaf_types() -> list[str]:
    """The names of all node types of this Python that stand for something concrete."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kinds = [one for one in vars(ast).values() if isinstance(one, type) and issubclass(one, ast.AST)]
    return sorted(one.__name__ for one in kinds if one.__name__ not in OLD and not abstract(one))


def abstract(kind: type[ast.AST]) -> bool:
    """Whether other node types derive from a type (`expr`, `stmt`, `ast.AST` itself)."""
    return any(one.__module__ in ("ast", "_ast") and one.__name__ not in OLD for one in kind.__subclasses__())


def read_body(name: str) -> tuple[str, Module, list[tuple[str, int]]]:
    text = in_kernel(IN_A_BODY[name][0])
    if name in ONLY_ASYNC:
        text = text.replace("def k(", "async def k(")
    module, report = read_text(text)
    found = [(one.code, one.at.line) for one in report.problems]
    if name in ONLY_ASYNC:
        assert found[0] == ("TL123", FIRST - 1)
        found = found[1:]
    return text, module, found


def test_the_table_names_every_node_type_of_this_python() -> None:
    assert set(leaf_types()) <= IN_A_BODY.keys() | NEVER_IN_A_BODY
    older = {name for name, version in SINCE.items() if version > sys.version_info[:2]}
    assert IN_A_BODY.keys() - older <= set(leaf_types())


@pytest.mark.parametrize("name", IN_A_BODY)
def test_a_node_type_is_lowered_or_refused_at_its_line(name: str) -> None:
    if sys.version_info[:2] < SINCE.get(name, (3, 0)):
        pytest.skip("this Python does not have it")
    text, module, found = read_body(name)
    assert name in {type(one).__name__ for one in ast.walk(ast.parse(text).body[-1])}
    code = IN_A_BODY[name][1]
    assert found == ([(code, FIRST)] if code else [])
    assert module.refused == ({"k"} if code or name in ONLY_ASYNC else set())
    assert len(module.functions) == 1
    if code == LOWERED:
        assert len(module.functions[0].body) == 1
