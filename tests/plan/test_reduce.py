"""The value that a partial result starts from changes nothing, whatever it is taken into."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tl2hip import api
from tl2hip.dtypes import F32, F64, I8, I32, I64, U8, U32, DType
from tl2hip.plan.reduce import identity
from tl2hip.prove.emulate import Emulator
from tl2hip.source.span import Source

OPS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "max": lambda a, b: np.where(b > a, b, a),
    "min": lambda a, b: np.where(b < a, b, a),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
SPECIAL = [0.0, -0.0, 1.5, -3e38, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("op", [op for op in OPS if op not in "&|^"])
@pytest.mark.parametrize("dtype", [F32, F64])
def test_the_start_changes_no_float(op: str, dtype: DType) -> None:
    x = np.array(SPECIAL, dtype.name.replace("f", "float"))
    left = OPS[op](x, np.array(identity(op, dtype).value, x.dtype))
    np.testing.assert_array_equal(left, x)
    np.testing.assert_array_equal(np.signbit(left)[:-1], np.signbit(x)[:-1])


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", [I8, I32, I64, U8, U32])
def test_the_start_changes_no_integer(op: str, dtype: DType) -> None:
    name = dtype.name.replace("i", "int").replace("u", "uint")
    limits = np.iinfo(name)
    x = np.array([limits.min, limits.max, 0, 1, 77], name)
    np.testing.assert_array_equal(OPS[op](x, np.array(identity(op, dtype).value, name)), x)


TEXT = """import numpy as np
from tl2hip import *
N = dims('N')
@kernel
def f(x: Tensor[f32, N], out: Tensor[f32, 1]) -> None:
    for i in range(N):
        out[0] = np.{op}(out[0], x[i])
"""


@pytest.mark.parametrize("op", ["fmax", "fmin", "maximum", "minimum"])
def test_nothing_but_nans_stays_a_nan(op: str) -> None:
    (kernel,) = api.convert(Source("k.py", TEXT.format(op=op))).kernels
    assert kernel.printed is not None
    x, out = np.full(1000, np.nan, np.float32), np.full(1, np.nan, np.float32)
    with Emulator.load(kernel.printed.text, detect=False) as library:
        run = library.call("f", [x, out, np.int64(1000), np.zeros(1 << 16, np.uint8)])
    assert run.status == 0
    assert np.isnan(out[0])
