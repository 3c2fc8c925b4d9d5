"""Nothing of a kernel is dropped: each statement and expression has a node, or a problem covers it."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from tests.source.conservation import missing
from tests.source.programs import Programs
from tests.source.reading import FIRST, in_kernel, read_text
from tl2hip.source.nodes import Assign, Binary, For, Function

ROOT = Path(__file__).parents[2]
GOLDEN = sorted(ROOT.glob("golden/*/kernel.py"))


def lost_in(text: str) -> list[str]:
    """What of the functions of a text the reader dropped."""
    module, report = read_text(text)
    defined = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
    assert module.functions
    return [lost for one in module.functions for lost in missing(defined[one.name], one, report.problems, text)]


def accepted(body: str) -> bool:
    """Whether Python itself takes a body; random ones may bind a name before `global`, say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(in_kernel(body), "kernel.py", "exec")
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_goldens_are_read_whole(path: Path) -> None:
    assert lost_in(path.read_text()) == []


@pytest.mark.parametrize("seed", range(60))
def test_legal_programs_are_read_whole_and_without_a_problem(seed: int) -> None:
    body = Programs(seed, wild=False).body(3)
    assert accepted(body)
    assert lost_in(in_kernel(body)) == []
    assert read_text(in_kernel(body))[1].problems == []


@pytest.mark.parametrize("seed", range(1000, 1100))
def test_wild_programs_are_read_or_refused_whole(seed: int) -> None:
    body = Programs(seed, wild=True).body(3)
    if not accepted(body):
        pytest.skip("not Python")
    assert lost_in(in_kernel(body)) == []


def test_the_count_sees_a_dropped_statement_and_a_dropped_expression() -> None:
    text = in_kernel("for i in range(N):\n    Y[i] = X[i] + 1\n    Y[i] *= 2")
    module, _ = read_text(text)
    (function,), definition = module.functions, ast.parse(text).body[-1]
    assert isinstance(definition, ast.FunctionDef)
    (loop,) = function.body
    assert isinstance(loop, For)

    def lost(other: For) -> list[str]:
        changed: Function = replace(function, body=(other,))
        return missing(definition, changed, [], text)

    assert lost(loop) == []
    assert f"AugAssign at {FIRST + 2}:8" in lost(replace(loop, body=loop.body[:1]))
    store = loop.body[0]
    assert isinstance(store, Assign) and isinstance(store.value, Binary)
    first = replace(store, value=store.value.left)
    assert f"BinOp at {FIRST + 1}:15" in lost(replace(loop, body=(first, loop.body[1])))
