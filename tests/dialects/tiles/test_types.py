"""The types of tiles are those that NumPy gives when the kernel runs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tl2hip.dialects.tiles import types
from tl2hip.dialects.tiles.values import Typed
from tl2hip.dtypes import BOOL, F64, I64, TABLE, DType
from tl2hip.notation.tile.values import Axis, Value

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "<<": operator.lshift,
}
AXIS = Axis(0, 2)
KINDS = [Typed(d) for d in TABLE.values()] + [Typed(I64, weak=True), Typed(F64, weak=True)]


def value(t: Typed) -> Any:
    """A tile of ones, or for a weak type a Python number or a weak tile."""
    assert t.dtype is not None
    if t.weak and t.dtype is F64:
        return 1.0
    numpy = np.dtype(getattr(ml_dtypes, t.dtype.numpy, None) or t.dtype.numpy)
    return Value((AXIS,), np.ones(2, numpy), weak=t.weak)


def given(do: Callable[[], Any]) -> DType | None:
    """The dtype of what is computed; None where NumPy has none, or one that tl2hip does not carry."""
    try:
        name = do().dtype.name
    except TypeError:
        return None
    return next((d for d in TABLE.values() if d.numpy == name), None)


def agree(found: Typed | None, real: DType | None) -> bool:
    """Whether the static type is NumPy's, or one side has none: then the kernel is refused, or Python raises."""
    return real is None or found is None or found.dtype is real


@pytest.mark.parametrize("op", OPERATORS)
def test_operators(op: str) -> None:
    for a in KINDS:
        for b in KINDS:
            if a.weak and b.weak:
                continue
            real = given(lambda a=a, b=b: OPERATORS[op](value(a), value(b)))  # type: ignore[misc]
            assert agree(types.operated(op, a, b), real), (op, a, b, real)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(types.ARITY))
def test_functions(name: str) -> None:
    function = getattr(np, name)
    kinds = [k for k in KINDS if not k.weak] if types.ARITY[name] == 1 else KINDS
    for a in kinds:
        for b in kinds if types.ARITY[name] > 1 else [a]:
            parts = {1: (a,), 2: (a, b), 3: (Typed(BOOL), a, b) if name == "where" else (a, b, b)}[
                types.ARITY[name]
            ]
            if not any(isinstance(value(p), Value) for p in parts[-2:]) or all(p.weak for p in parts[-2:]):
                continue
            real = given(lambda parts=parts: function(*map(value, parts)))  # type: ignore[misc]
            assert agree(types.called(name, parts), real), (name, parts, real)


def test_a_type_that_is_not_numpys_is_seen() -> None:
    assert not agree(Typed(F64), I64) and agree(Typed(I64), I64)


@pytest.mark.parametrize("dtype", TABLE.values(), ids=str)
def test_dot(dtype: DType) -> None:
    from tl2hip import tile

    a, b = (Value((AXIS,), value(Typed(dtype)).array) for _ in range(2))
    real = given(lambda: tile.dot(a, b))
    assert types.dotted(Typed(dtype), Typed(dtype)) is real
