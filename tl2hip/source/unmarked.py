"""What keeps a file of plain functions from having a kernel: parameters that are lists or arrays by their types.

>>> way_to_mark("def scale(rows: list[list[float]], n: int) -> None: ...")
'write `rows: Tensor[f32, M, N]` for `rows: list[list[float]]` in scale, with `M, N = dims("M N")` above it'
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tl2hip.dtypes import ALIASES

_NAMES = ("M", "N", "K", "L")
_LISTS = ("list", "List", "Sequence")
_ARRAYS = ("ndarray", "NDArray", "ArrayLike", "Tensor")
_TYPES = {"float": "f32", "int": "i32", "bool": "bool", "float64": "f64", "float32": "f32", "float16": "f16"}


def way_to_mark(text: str) -> str | None:
    """How to convert the first function with such a parameter: as it stands, where the types of all of them say
    enough, else marked. None where there is none or the text is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            arrays = [(name, t, instead) for name, t in _typed(node) if (instead := _instead(t)) is not None]
            for name, t, instead in arrays:
                if not _says_enough(t):
                    return _way(name, ast.unparse(t), instead, node.name)
            if arrays:
                name, t, _ = arrays[0]
                return _as_it_stands(name, ast.unparse(t), node.name)
    return None


def _typed(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have a type, each with it."""
    for one in (*node.args.posonlyargs, *node.args.args):
        if one.annotation is not None:
            yield one.arg, one.annotation


def _says_enough(t: ast.expr) -> bool:
    """Whether a type is read as it stands, as `NDArray[np.float32]` is."""
    return isinstance(t, ast.Subscript) and _last(t.value) == "NDArray" and _last(t.slice) in ALIASES


def _as_it_stands(name: str, written: str, function: str) -> str:
    taken = f"`--kernel {function}` takes it as it is typed (`{name}: {written}`)"
    return f"{taken}, `--all` every function of the file; with @kernel on it neither is needed"


def _way(name: str, written: str, instead: tuple[str, int], function: str) -> str:
    dtype, rank = instead
    dims = _NAMES[:rank] if rank > 1 else ("N",)
    bound = f'{", ".join(dims)} = dims("{" ".join(dims)}")' if rank > 1 else 'N = dims("N")'
    kind = f"Tensor[{dtype}, {', '.join(dims)}]"
    return f"write `{name}: {kind}` for `{name}: {written}` in {function}, with `{bound}` above it"


def _instead(annotation: ast.expr) -> tuple[str, int] | None:
    """The dtype and the number of axes that a type stands for; None for one of no array."""
    rank = 0
    while isinstance(annotation, ast.Subscript) and _last(annotation.value) in _LISTS:
        rank, annotation = rank + 1, annotation.slice
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    if rank and rank <= len(_NAMES):
        return _TYPES.get(_last(annotation), "f32"), rank
    if _last(base) in (*_LISTS, *_ARRAYS):
        inner = annotation.slice if isinstance(annotation, ast.Subscript) else base
        return _TYPES.get(_last(inner), "f32"), 1
    return None


def _last(node: ast.expr) -> str:
    """The last part of a dotted name, empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
