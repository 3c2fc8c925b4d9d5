"""What a user is told of a loop that must be serial."""

from __future__ import annotations

import pytest

from tests.nest.analysis.helpers import make
from tl2hip.nest.dependence import analyse
from tl2hip.source.problems.base import show
from tl2hip.source.problems.dependence import CarriedValue

CASES = {
    "TL401": (
        "s = 0\nfor i in range(n):\n    s = s * 2 + x[i]\n    x[i] = s",
        "the iterations of `i` must run one after the other: the value of s passes from one iteration to the next",
        "serial",
    ),
    "TL402": (
        "for i in range(2, n):\n    x[i] = x[i - 2]",
        "the iterations of `i` must run one after the other: an element of x written in one iteration is read in"
        " the iteration 2 later",
        "another array",
    ),
    "TL403": ("for i in range(n):\n    s = x[i]\nx[0] = s", "`s` is read after `i`", "after the loop"),
    "TL404": (
        "for i in range(m):\n    x[idx[i]] = 1",
        "iterations of `i` may store to one element of `x`: which one is last counts",
        "assert distinct",
    ),
    "TL405": (
        "s = 0\nfor i in range(n):\n    s = max(x[i], s)\nx[0] = s",
        "`s` stands on the right of `max`",
        "max(s, …)",
    ),
    "TL406": (
        "s = 0\nfor i in range(n):\n    if s < 9: s += x[i]\n    y[i] = s",
        "`s` is used in `i` while it is still being accumulated, and this is no scan: "
        "what is accumulated depends on `s`",
        "without it",
    ),
}
HEADER = "array x[n]\narray idx[m]: i32\nvar s: f32\n"


@pytest.mark.parametrize("code", CASES)
def test_what_is_told(code: str) -> None:
    text, message, help = CASES[code]
    header = HEADER + "array y[n]\n" if "y[" in text else HEADER
    nest = make(header + text)
    kind = analyse(nest).kinds["i"]
    problem = CarriedValue.of(kind, "i", at=kind.at)
    assert problem.code == code
    assert message in problem.text
    assert help in problem.way_out
    assert problem.at.line and show(problem, nest.source).count("\n") == 3
