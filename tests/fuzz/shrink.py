"""Makes a failing program smaller: statements and parts of expressions go while it fails the same way."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import replace

from tests.fuzz.check import Outcome, check

TRIES = 250
"""How many smaller programs are tried at most."""


def shrunk(outcome: Outcome, tries: int = TRIES) -> Outcome:
    """The smallest failure that greedy deletion finds, in as many checks; with the detectors where only they see
    it."""
    (plain,) = check([outcome.program])
    detect = plain.verdict != "failed" or not _alike(plain, outcome)
    best, left = outcome, tries
    improved = True
    while improved and left > 0:
        improved = False
        for text in _smaller(best.program.text):
            left -= 1
            if left < 0:
                break
            (found,) = check([replace(best.program, text=text)], detect)
            if found.verdict == "failed" and _alike(found, outcome):
                best, improved = found, True
                break
    return best


def _alike(a: Outcome, b: Outcome) -> bool:
    """Whether two failures are of one sort: the same code, or the same last line of a traceback."""
    if a.code or b.code:
        return a.code == b.code
    return a.told.strip().splitlines()[-1][:40] == b.told.strip().splitlines()[-1][:40]


def _smaller(text: str) -> Iterator[str]:
    """Programs with one thing less, those that lose most first."""
    tree = ast.parse(text)
    seen: list[str] = []
    for cut in sorted({*_cuts(tree)}, key=lambda c: (len(c), c)):
        if len(cut) < len(ast.unparse(tree)) and cut not in seen:
            seen.append(cut)
            yield cut + "\n"


def _cuts(tree: ast.Module) -> Iterator[str]:
    for path in range(sum(1 for _ in ast.walk(tree))):
        for change in range(6):
            made = copy.deepcopy(tree)
            node = list(ast.walk(made))[path]
            if _change(node, change, made):
                yield ast.unparse(ast.fix_missing_locations(made))


def _change(node: ast.AST, change: int, tree: ast.AST) -> bool:
    """Makes the change-th change at a node; False where there is none."""
    if change == 0:
        return _replace_statement(node, tree, [])
    if change == 1 and isinstance(node, (ast.For, ast.If, ast.While)):
        return _replace_statement(node, tree, node.body)
    if change == 2 and isinstance(node, ast.If) and node.orelse:
        node.orelse = []
        return True
    if isinstance(node, ast.expr) and change >= 3:
        parts = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        if isinstance(node, ast.Call):
            parts = node.args
        if isinstance(node, (ast.Subscript, ast.Attribute, ast.Constant, ast.Name)):
            return False
        return change - 3 < len(parts) and _replace_expr(node, tree, parts[change - 3])
    return False


def _replace_statement(node: ast.AST, tree: ast.AST, by: list[ast.stmt]) -> bool:
    for parent in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(parent, name, None)
            if isinstance(parent, ast.Module) or not isinstance(body, list) or node not in body:
                continue
            at = body.index(node)
            body[at : at + 1] = by
            if not body and name == "body":
                body.append(ast.Pass())
                return not isinstance(node, ast.Pass)
            return True
    return False


def _replace_expr(node: ast.expr, tree: ast.AST, by: ast.expr) -> bool:
    for parent in ast.walk(tree):
        if isinstance(parent, ast.arg) or isinstance(parent, ast.FunctionDef) and node in parent.decorator_list:
            continue
        for name, held in ast.iter_fields(parent):
            if held is node:
                setattr(parent, name, by)
                return True
            if isinstance(held, list) and node in held:
                held[held.index(node)] = by
                return True
    return False
