"""Other annotations, parameters and decorators."""

from __future__ import annotations

import ast
import random

from tests.fuzz.mutants.changes.table import Table
from tests.fuzz.mutants.edits import Edit, lined, spliced
from tests.fuzz.mutants.places import File, rows

CHANGES = change = Table()


ANNOTATIONS = (
    *("int", "float", "bool", "complex", "str", "f32", "f16", "i8", "list", "np.ndarray", "None", "...", "'int'"),
    *("Tensor", "Tensor[f32]", "Tensor[f32, 4]", "Tensor[f32, 0]", "Tensor[f32, -1]", "Tensor[f32, 2.5]"),
    *("Tensor[f32, :]", "Tensor[f32, :, :]", "Tensor[f32, ...]", "Tensor[i8, 4, 4, 4]", "Tensor[f32, 1 << 40]"),
    *("'Tensor[f32, 4]'", "Tensor[float, 4]", "Tensor['f32', 4]", "Tensor[f32, 'N']", "Tensor[f32, _nothing]"),
    *("Tensor[f16, 4, vec(8)]", "Tensor[f32, 4, f32]", "f32 | None", "list[f32]", "lambda: 1", "(yield)", "1"),
)


def _annotated(function: ast.FunctionDef) -> list[ast.expr]:
    arguments = (*function.args.args, *function.args.kwonlyargs)
    inside = [n.annotation for n in ast.walk(function) if isinstance(n, ast.AnnAssign)]
    return (
        [a.annotation for a in arguments if a.annotation]
        + ([function.returns] if function.returns else [])
        + inside
    )


@change("annotation for another")
def _annotation(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = _annotated(function)
    if not found:
        return None
    old = draw.choice(found)
    new = draw.choice([*ANNOTATIONS, *(at.source(a) for a in found)])
    return spliced(at, *at.span(old), new, f"{at.source(old)} became {new}")


@change("dtype for another")
def _dtype(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    tags = ("f32", "f16", "f64", "bf16", "i8", "i16", "i32", "i64", "u8", "u32", "f8e4m3", "f8e5m2", "bool_")
    found = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in tags]
    if not found:
        return None
    new = draw.choice(("f32", "f16", "i8"))
    old = draw.choice(found)
    return spliced(at, *at.span(old), new, f"{old.id} became {new}")


PARAMETERS = (
    "*_more",
    "**_more",
    "_more=1",
    "_more: int",
    "_more: f32 = 1",
    "*, _more: int = 3",
    "/",
    "_more",
    "_a, /",
)


@change("parameter added")
def _parameter(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    arguments = function.args.args
    if not arguments:
        return None
    _, end = at.span(arguments[-1])
    new = draw.choice(PARAMETERS)
    return spliced(at, end, end, f", {new}", f"parameter {new}")


@change("parameter gone or renamed")
def _less(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    arguments = (*function.args.args, *function.args.kwonlyargs)
    if not arguments:
        return None
    one = draw.choice(arguments)
    new = draw.choice(("_other: int", one.arg, draw.choice(arguments).arg, f"{one.arg}: int", f"{one.arg}=None"))
    return spliced(at, *at.span(one), new, f"parameter {one.arg} became {new}")


DECORATORS = (
    *("kernel", "kernel()", "kernel(math=f64)", "kernel(unknown=1)", "staticmethod", "property", "lambda f: f"),
    *(
        "__import__('functools').cache",
        "__import__('functools').wraps(print)",
        "print",
        "1",
        "kernel(kernel)",
        "np.vectorize",
    ),
)


@change("decorator added")
def _decorated(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    first, _ = rows(function)
    place = draw.choice((first, function.lineno))
    return lined(at, place, place - 1, [f"@{draw.choice(DECORATORS)}"], "decorator added")


@change("decorator changed")
def _redecorated(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    if not function.decorator_list:
        return None
    new = draw.choice(DECORATORS)
    return spliced(at, *at.span(function.decorator_list[0]), new, f"decorator became {new}")


@change("async")
def _async(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    line = function.lineno
    return lined(at, line, line, [f"async {at.lines[line - 1]}"], "async def")
