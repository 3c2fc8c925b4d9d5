"""The limits of NumPy's float dtypes are numbers, as np.finfo says them."""

from __future__ import annotations

import numpy as np
import pytest

from tl2hip.api import convert
from tl2hip.nest.ir import Const
from tl2hip.nest.walk import all_exprs
from tl2hip.source.span import Source

TEXT = """\
import numpy as np
from tl2hip import Tensor, dims, f64, kernel
N = dims("N")
@kernel
def limit(x: Tensor[f64, N]) -> None:
    for i in range(N):
        x[i] = f64({})
"""


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["min", "max", "eps", "tiny", "smallest_normal"])
def test_limits_are_numpys(dtype: str, name: str) -> None:
    (k,) = convert(Source("<text>", TEXT.format(f"np.finfo(np.{dtype}).{name}")), stop_after="nest").kernels
    assert k.nest is not None
    floats = [e.value for e in all_exprs(k.nest.body) if isinstance(e, Const) and e.dtype.is_float]
    assert floats[-1] == float(getattr(np.finfo(dtype), name))


@pytest.mark.parametrize("spelled", ["np.finfo(np.int32).min", "np.finfo(np.float32).bits", "np.finfo().min"])
def test_other_limits_are_refused(spelled: str) -> None:
    done = convert(Source("<text>", TEXT.format(spelled)), stop_after="nest")
    assert [p.at.line for p in done.errors] == [7]
