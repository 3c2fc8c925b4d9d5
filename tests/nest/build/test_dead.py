"""What nothing reads is left out, and nothing else."""

from __future__ import annotations

import numpy as np

from tests.nest.build.helpers import check
from tests.nest.build.test_loops import draw, over
from tl2hip.nest.ir import Loop, Set
from tl2hip.nest.walk import all_stmts


def sets(body: str) -> list[str]:
    nest = check(over(body), draw(6), np.zeros(6, np.float32))
    return [s.name for s in all_stmts(nest.body) if isinstance(s, Set)]


def test_a_start_that_every_turn_overwrites() -> None:
    assert sets("s = 0.0\nfor i in range(N):\n    s = x[i]\n    y[i] = s") == ["s"]
    assert sets("s = 0.0\nfor i in range(N):\n    s = x[i]\n    y[i] = s\ny[0] = s") == ["s", "s"]
    assert sets("s = 0.0\nfor i in range(N):\n    y[i] = s\n    s = x[i]") == ["s", "s"]


def test_an_end_that_the_next_turn_overwrites() -> None:
    assert sets("s = f32(0)\nfor i in range(N):\n    s = x[i]\n    y[i] = s\n    s = f32(1)") == ["s"]


def test_branches_loops_and_whiles() -> None:
    assert sets("for i in range(N):\n    t = x[i]\n    if i > 2:\n        t = x[0]\n    y[i] = 1") == []
    body = "n = 0\nfor i in range(N):\n    while n < i:\n        n = n + 1\n    y[i] = n"
    assert sets(body) == ["n", "n"]
    nest = check(over("for i in range(N):\n    t = x[i]\ny[0] = 1"), draw(4), draw(4))
    assert not any(isinstance(s, Loop) for s in all_stmts(nest.body))


def test_extents_of_arrays_are_read_where_they_are_allocated() -> None:
    body = "n = int(abs(x[0])) + 1\nt = np.zeros(n, f32)\nn = 0\n"
    body += "for i in range(len(t)):\n    t[i] = i\ny[0] = t[0] + n"
    check(over(body), draw(4), draw(4))
