"""The dtypes that tiles are said to have are those that the run on NumPy gives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.dialects.article.helpers import both, converted
from tl2hip.dialects.article import types
from tl2hip.dtypes import ML_DTYPES, TABLE, DType
from tl2hip.notation.elements import Element, element


def ones(dtype: DType) -> np.ndarray:
    return np.ones(2, Element(dtype).dtype)


def name(array: np.ndarray) -> str:
    return array.dtype.name


def test_operations_on_two_tiles() -> None:
    for a, b in product(TABLE.values(), repeat=2):
        for op in "+*/":
            found = types.combined(op, a, b)
            if found is None:
                continue
            x, y = ones(a), ones(b)
            result = x + y if op == "+" else x * y if op == "*" else x / y
            assert name(result) == found.numpy, (op, a.name, b.name)


def test_operations_with_numbers() -> None:
    for a in TABLE.values():
        for number in (2, 2.5):
            x = ones(a)
            assert name(x + number) == types.with_number(a, isinstance(number, float)).numpy, a.name
            quotient = types.divided(types.with_number(a, isinstance(number, float)))
            assert name(x / number) == quotient.numpy, a.name


def test_exponentials() -> None:
    for a in TABLE.values():
        assert name(np.exp(ones(a))) == types.exponential(a).numpy, a.name


def test_lowest() -> None:
    for a in TABLE.values():
        if a.is_int:
            assert types.lowest(a) == np.iinfo(a.numpy).min


@pytest.mark.parametrize(
    "spelling", ["tl.f16", "np.float16", '"f16"', '"half"', "np.dtype('f2')", "float", "int", "bool"]
)
def test_dtypes_are_spelled_as_in_the_run(spelling: str) -> None:
    text = f"""
def f(M):
    x = tl.InputTensor("x", [M], {spelling})
    y = tl.OutputTensor("y", [M], {spelling})
    (i,) = tl.TileLoop([M], [8])
    y[i].store(x[i].load())
    return tl.CompileKernel(f)
"""
    made, _ = converted(text)
    if spelling == "np.dtype('f2')":
        assert made is None  # NumPy's one-letter codes are not read
        return
    import tl2hip as tl

    assert made is not None
    assert made.arrays[0].dtype.numpy == element(eval(spelling, {"tl": tl, "np": np})).dtype.name


REDUCED = """
def f(M, N):
    x = tl.InputTensor("x", [M, N], "{dtype}")
    y = tl.InputTensor("y", [N], "{dtype}")
    a = tl.OutputTensor("a", [M], "float64")
    b = tl.OutputTensor("b", [M], "float64")
    c = tl.OutputTensor("c", [M], "float64")
    d = tl.OutputTensor("d", [M], "float64")
    i, j = tl.TileLoop([M, N], [8, 8])
    a[i].store(tl.sum(x[i, j].load(), axis=1))
    b[i].store(tl.max(x[i, j].load(), axis=1))
    c[i].store(tl.dot(x[i, j].load(), y[j].load()))
    d[i].store(x[i, j].load())

kernel = tl.CompileKernel(f)
"""
REDUCIBLE = [t for t in TABLE.values() if t.name not in ("bool", "f8e4m3", "f8e5m2")]


@pytest.mark.parametrize("dtype", REDUCIBLE, ids=str)
def test_reductions_are_carried_as_in_the_run(dtype: DType) -> None:
    """Values that wrap or round in the wrong dtype."""
    draw = np.random.default_rng(3)
    numbers = draw.integers(0, 120, (3, 9)) if dtype.is_int else draw.standard_normal((3, 9)) * 300
    x, y = numbers.astype(Element(dtype).dtype), (numbers[1] / 7).astype(Element(dtype).dtype)
    expected, got = both(REDUCED.format(dtype=dtype.name), x, y)
    for output, value in expected.items():
        tolerance = 0 if dtype.is_int else 1e-12 if dtype.name == "f64" else 2e-6
        if dtype in ML_DTYPES or dtype.name == "f16":
            tolerance = 1e-2 if output == "a" else 1e-6
        np.testing.assert_allclose(got[output], value, rtol=tolerance, atol=tolerance, err_msg=output)
