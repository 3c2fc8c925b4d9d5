"""What warnings advise converts without a warning."""

from __future__ import annotations

import numpy as np
import pytest

from tl2hip import api
from tl2hip.nest.build.functions import FUNCTIONS
from tl2hip.source.problems.types_warnings import HeldInF32
from tl2hip.source.span import Source

TEXT = """import math
import numpy as np
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = {}
"""


def advice(call: str) -> HeldInF32 | None:
    """The warning of a conversion of that call, None without one; nothing else may be told."""
    done = api.convert(Source("k.py", TEXT.format(call)))
    assert not done.errors, done.told
    assert len(done.problems) <= 1
    for warning in done.problems:
        assert isinstance(warning, HeldInF32)
        return warning
    return None


EXACT = {f"math.{name}" for name in "floor ceil trunc fabs isnan isinf isfinite".split()}
HELD = sorted(name for name in FUNCTIONS if name.startswith("math.") and name not in EXACT)


@pytest.mark.parametrize("name", HELD)
def test_a_function_of_numpy_is_advised_where_there_is_one(name: str) -> None:
    arguments = ", ".join(["x[i]", "x[i]"][: FUNCTIONS[name].arity])
    told = advice(f"{name}({arguments})")
    assert told is not None
    _, _, rest = told.way_out.partition("; np.")
    assert bool(rest) != (told.name in ("erf", "erfc"))
    if rest:
        advised = rest.split()[0]
        assert hasattr(np, advised)
        assert advice(f"np.{advised}({arguments})") is None
