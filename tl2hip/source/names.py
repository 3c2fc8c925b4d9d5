"""What a name in a file stands for: `np.exp` is `numpy.exp`, `tl.dot` is `tl2hip.dot`, `range` is
`builtins.range`."""

from __future__ import annotations

import builtins
import math
from collections.abc import Collection, Iterator, Mapping

import tl2hip
from tl2hip.source.nodes import Assign, Attribute, Call, Expr, Function, List_, Module, Name, Tuple_
from tl2hip.source.walk import all_stmts, bound, walk

BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
NEVER_HIDDEN = frozenset({"range", "len", "int", "float", "enumerate", "zip", "reversed", "print"})
"""The builtins that keep their meaning beside `from numpy import *` and the like."""


def canonical(dotted: str) -> str:
    """One spelling for the several homes of a thing.

    `tilelang` is read as `tl2hip` (the article's import), `tl2hip.notation.….X` is `tl2hip.X`, Numba's `prange` is
    Python's `range`.
    `tilelang.language` stays, it is another notation.
    """
    parts = dotted.split(".")
    if parts[0] == "tilelang" and parts[1:2] != ["language"]:
        parts[0] = "tl2hip"
    if parts == ["numba", "prange"]:
        parts = ["builtins", "range"]
    if parts[:2] == ["tl2hip", "notation"] and len(parts) > 2:
        parts = ["tl2hip", parts[-1]]
    return ".".join(parts)


def resolve(dotted: str, origins: Mapping[str, str], local: Collection[str] = ()) -> str | None:
    """The origin of a dotted name: None for a local or unknown one, `.name` for what the file makes."""
    first, _, rest = dotted.partition(".")
    if first in local:
        return None
    origin = origins.get(first) or _unbound(first, origins.get("*"))
    if origin is None:
        return None
    return canonical(f"{origin}.{rest}") if rest else origin


def _unbound(name: str, star: str | None) -> str | None:
    """The origin of a name that the file does not bind; `star` is a module that it imports `*` from, whose names
    are not known here. Such an import may hide a builtin, so only those stay that no library hides."""
    if star is None:
        return f"builtins.{name}" if name in BUILTINS else None
    if name in BUILTINS:
        return f"builtins.{name}" if name in NEVER_HIDDEN else None
    return f"{star}.{name}"


def star_names(module: str) -> list[str] | None:
    """What `from module import *` binds, for the modules where it is known without importing anything new."""
    if module == "math":
        return [name for name in dir(math) if not name.startswith("_")]
    if module in ("tl2hip", "tilelang"):
        return list(tl2hip.__all__)
    return None


def origin(expr: Expr, module: Module, local: Collection[str] = ()) -> str | None:
    """The canonical dotted origin of a name or of an attribute chain over one, else None.

    `local` holds the names bound by the function around it: these hide the file's and Python's. What the file
    itself defines is `.name`: a function (see `find`) or an assignment.
    """
    text = dotted(expr)
    return None if text is None else resolve(text, module.origins, local)


def dotted(expr: Expr) -> str | None:
    """`a.b.c` as text, None for any other expression."""
    parts: list[str] = []
    while isinstance(expr, Attribute):
        parts.append(expr.name)
        expr = expr.value
    if not isinstance(expr, Name):
        return None
    return ".".join([expr.id, *reversed(parts)])


def local_names(function: Function) -> frozenset[str]:
    """Every name that a function binds: its parameters, and what it assigns, annotates or loops over."""
    inside = (name for s in all_stmts(function.body) for name in bound(s))
    return frozenset((*(p.name for p in function.parameters), *inside))


def called(function: Function, module: Module) -> Iterator[str]:
    """The origins of what a function calls, but for the names that it binds itself."""
    local = local_names(function)
    for one in walk(function):
        found = origin(one.func, module, local) if isinstance(one, Call) else None
        if found is not None:
            yield found


def dims_bound(module: Module) -> Iterator[tuple[Expr, Call]]:
    """What `M, N = dims("M N")` binds at file level, each time with the call."""
    for a in module.assignments:
        if isinstance(a.value, Call) and origin(a.value.func, module) == "tl2hip.dims":
            for target in a.targets if isinstance(a, Assign) else (a.target,):
                yield target, a.value


def file_values(module: Module) -> dict[str, Expr | None]:
    """What each name at file level was last bound to; None where the text does not take that apart, as in
    `q, r = divmod(a, b)`."""
    found: dict[str, Expr | None] = {}
    for a in module.assignments:
        if a.value is not None:
            for target in a.targets if isinstance(a, Assign) else (a.target,):
                found.update(_taken_apart(target, a.value))
    return found


def _taken_apart(target: Expr, value: Expr | None) -> Iterator[tuple[str, Expr | None]]:
    """The names of a target, each with its part of the value."""
    if isinstance(target, Name):
        yield target.id, value
    elif isinstance(target, Tuple_):
        parts: tuple[Expr | None, ...] = value.items if isinstance(value, Tuple_ | List_) else ()
        if len(parts) != len(target.items):
            parts = (None,) * len(target.items)
        for one, part in zip(target.items, parts, strict=True):
            yield from _taken_apart(one, part)
