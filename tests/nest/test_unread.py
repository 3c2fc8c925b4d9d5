"""Arrays that nothing reads go, with what is stored into them; all others stay."""

from __future__ import annotations

import pytest

from tl2hip import api
from tl2hip.nest.ir import Alloc, Store, Update
from tl2hip.nest.walk import all_stmts
from tl2hip.source.span import Source

HEAD = """
import numpy as np
from tl2hip import Tensor, dims, f32, kernel
M, N = dims("M N")
@kernel
def f(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
"""

UNREAD = {
    "copied": "    for i in range(M):\n        r = x[i].copy()\n",
    "filled again": (
        "    for _ in range(2):\n        s = np.zeros(N, np.float32)\n"
        "    for i in range(M):\n        s = np.zeros(N, np.float32)\n"
    ),
    "read by one that is not read": "    s = x[0] * 2\n    t = s + 1\n    u = t * t\n",
    "in a branch": "    for i in range(M):\n        if i > 2:\n            r = x[i].copy()\n            r[0] = 3\n",
}


@pytest.mark.parametrize("name", UNREAD)
def test_arrays_that_nothing_reads_go(name: str) -> None:
    done = api.convert(Source("k.py", HEAD + UNREAD[name]))
    assert not done.errors, done.told
    assert done.kernels[0].nest is not None and done.kernels[0].printed is not None
    assert done.kernels[0].nest.body == ()


def test_the_rest_stays() -> None:
    text = (
        "    s = np.zeros(N, np.float32)\n    t = np.zeros(N, np.float32)\n"
        "    for i in range(M):\n        s += x[i]\n        t += x[i]\n    y[0] = s\n"
    )
    done = api.convert(Source("k.py", HEAD + text))
    nest = done.kernels[0].nest
    assert nest is not None
    assert [s.array for s in all_stmts(nest.body) if isinstance(s, Alloc)] == ["s"]
    assert {s.array for s in all_stmts(nest.body) if isinstance(s, Store | Update)} == {"s", "y"}
