"""Local arrays taken into their readers, and those that must stay."""

from __future__ import annotations

import pytest

from tests.nest.analysis import oracle
from tests.nest.analysis.helpers import make
from tl2hip.dtypes import F16, F32
from tl2hip.nest.check import verify
from tl2hip.nest.inline import forward
from tl2hip.nest.ir import Cast, Loop, Nest, Store
from tl2hip.nest.walk import all_exprs, all_stmts

HEADER = """
array x[n]: i64
array y[n]: i64
array z[n]: i64
local array t[n]: i64
local array u[n]: i64
var s: i64
"""
FILL = "alloc(t)\nfor i in range(n):\n    t[i] = x[i] * 2\n"


def locals_of(nest: Nest) -> list[str]:
    return [a.name for a in nest.arrays if a.role == "local"]


GONE = {
    "one reader": FILL + "for i in range(n):\n    y[i] = t[i] + 1",
    "another index": FILL + "for i in range(n):\n    y[i] = t[n - 1 - i] + t[0]",
    "several readers": FILL + "for i in range(n):\n    y[i] = t[i]\nfor i in range(n):\n    z[i] = t[i] + t[i]",
    "inside a loop": (
        "for k in range(m):\n    alloc(t)\n    for i in range(n):\n        t[i] = x[i] + k\n"
        "    for i in range(n):\n        y[i] += t[i]"
    ),
    "inside the second of two loops": (
        "for k in range(m):\n    for i in range(n):\n        z[i] += k\n"
        "for k in range(m):\n    alloc(t)\n    for i in range(n):\n        t[i] = x[i] + k\n"
        "    for i in range(n):\n        y[i] += t[i]"
    ),
    "a variable that stays": "s = n + 3\n"
    + FILL.replace("* 2", "+ s")
    + "for i in range(n):\n    y[i] = t[i]\ns = 1\n",
    "its input written after the last read": FILL
    + "for i in range(n):\n    y[i] = t[i]\nfor i in range(n):\n    x[i] = 0",
    "through another": (
        FILL + "alloc(u)\nfor i in range(n):\n    u[i] = t[i] + 1\nfor i in range(n):\n    y[i] = u[i]"
    ),
    "dear but read once": FILL.replace("x[i] * 2", "x[i] // 3 + x[i] % 5") + "for i in range(n):\n    y[i] = t[i]",
    "filled with zeros first": (
        "alloc(t)\nfor i in range(n):\n    t[i] = 0\n"
        + FILL.replace("alloc(t)\n", "")
        + "for i in range(n):\n    y[i] = t[i]"
    ),
    "stored to twice": FILL + "for i in range(n):\n    t[i] = 1\nfor i in range(n):\n    y[i] = t[i]",
    "in a reduction": FILL + "s = 0\nfor i in range(n):\n    s += t[i]\nfor i in range(n):\n    y[i] = s",
}

KEPT = {
    "its input is written": FILL + "for i in range(n):\n    x[i] = 0\nfor i in range(n):\n    y[i] = t[i]",
    "its input is written by the reader": FILL + "for i in range(n):\n    x[i] = t[n - 1 - i]",
    "its variable changes": "s = 1\n" + FILL.replace("2", "s") + "s = 2\nfor i in range(n):\n    y[i] = t[i]",
    "its variable changes in the reader": (
        "s = 1\n" + FILL.replace("2", "s") + "for i in range(n):\n    y[i] = t[i]\n    s += 1"
    ),
    "filled again after a read": (
        FILL + "for i in range(n):\n    z[i] = t[i]\nfor i in range(n):\n    t[i] = x[i] + 1\n"
        "for i in range(n):\n    y[i] = t[i]"
    ),
    "filled again in part": (
        FILL + "for i in range(1, n):\n    t[i] = x[i] + 1\nfor i in range(n):\n    y[i] = t[i]"
    ),
    "updated": FILL + "for i in range(n):\n    t[i] += 1\nfor i in range(n):\n    y[i] = t[i]",
    "not whole": FILL.replace("range(n)", "range(1, n)") + "for i in range(1, n):\n    y[i] = t[i]",
    "under a test": (
        "alloc(t)\nfor i in range(n):\n    if i > 2:\n        t[i] = x[i]\nfor i in range(3, n):\n    y[i] = t[i]"
    ),
    "read out of range": FILL + "for i in range(n):\n    y[i] = t[i + 1]",
    "wrapped": FILL + "for i in range(n):\n    y[i] = t[-1 - i]",
    "read before": (
        "alloc(t)\nfor k in range(m):\n    for i in range(n):\n        y[i] = t[i]\n"
        "    for i in range(n):\n        t[i] = x[i] + k"
    ),
    "dear and read often": (
        FILL.replace("x[i] * 2", "x[i] // 3 + x[i] % 5")
        + "for k in range(m):\n    for i in range(n):\n        y[i] += t[i]"
    ),
    "over a loop that it does not name": (
        "alloc(t)\nfor k in range(m):\n    for i in range(n):\n        t[i] = x[i] + k\n"
        "for i in range(n):\n    y[i] = t[i]"
    ),
    "the value of a store beside it": (
        "alloc(t)\nfor i in range(n):\n    t[i] = x[i]\n    z[i] = 1\nfor i in range(n):\n    y[i] = t[i]"
    ),
}


def same_results(before: Nest, after: Nest) -> None:
    for n in range(5):
        data = [{"x": {(k,): 3 * k + 1 for k in range(n)}, "y": {}, "z": {}, "t": {}, "u": {}} for _ in range(2)]
        runs = [
            oracle.Run(nest, {"n": n, "m": 3}, arrays=arrays).go()
            for nest, arrays in zip((before, after), data, strict=True)
        ]
        for name in "xyz":
            assert runs[0].arrays[name] == runs[1].arrays[name]


@pytest.mark.parametrize("name", GONE)
def test_taken_in(name: str) -> None:
    before = make(HEADER + GONE[name])
    after = forward(before)
    verify(before)
    verify(after)
    used = {s.array for s in all_stmts(after.body) if isinstance(s, Store)}
    assert used.isdisjoint({"t", "u"})
    assert "t" not in locals_of(after)
    loops = [sum(isinstance(s, Loop) for s in all_stmts(nest.body)) for nest in (before, after)]
    assert loops[1] < loops[0]
    same_results(before, after)


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    before = make(HEADER + KEPT[name])
    after = forward(before)
    assert "t" in locals_of(after)
    same_results(before, after)


def test_the_rounding_to_the_array_stays() -> None:
    text = """
        array x[n]
        array y[n]
        local array t[n]: f16
        alloc(t)
        for i in range(n):
            t[i] = f16(x[i] * 3)
        for i in range(n):
            y[i] = f32(t[i]) * 2
    """
    after = forward(make(text))
    casts = [e for e in all_exprs(after.body) if isinstance(e, Cast)]
    assert [(c.dtype, c.explicit) for c in casts if c.dtype is F16] == [(F16, True)]
    plain = forward(
        make(text.replace(": f16", "").replace("f16(x[i] * 3)", "x[i] * 3").replace("f32(t[i])", "t[i]"))
    )
    casts = [e for e in all_exprs(plain.body) if isinstance(e, Cast)]
    assert [(c.dtype, c.explicit) for c in casts] == [(F32, True)]


def test_a_nest_without_locals_is_left_alone() -> None:
    nest = make("array y[n]\nfor i in range(n):\n    y[i] = 1")
    assert forward(nest) is nest
