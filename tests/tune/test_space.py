"""Which candidates there are."""

from __future__ import annotations

import pytest

from tl2hip.nest.build.marks import ALLOWED
from tl2hip.tune.space import VALUES, Candidate, changes, everything, possible, size, space

STATED = {"i": (("tile", 64), ("waves", 2)), "j": None, "k": ()}


def test_every_value_is_one_that_the_notation_allows() -> None:
    for mark, values in VALUES.items():
        assert mark == "tile" or set(values) <= set(ALLOWED[mark])


def test_what_may_be_said_and_what_stays() -> None:
    found = space(STATED, ("tile", "waves"), keep=False)
    assert found.start == (("i", (("tile", 64), ("waves", 2))), ("k", ()))
    assert found.bare == (("i", ()), ("k", ()))
    assert [(c.loop, c.mark) for c in found.choices] == [
        ("i", "tile"), ("i", "waves"), ("k", "tile"), ("k", "waves")
    ]  # fmt: skip
    kept = space(STATED, ("tile", "waves", "unroll"), keep=True)
    assert kept.bare == kept.start
    assert [(c.loop, c.mark) for c in kept.choices] == [
        ("i", "unroll"), ("k", "tile"), ("k", "waves"), ("k", "unroll")
    ]  # fmt: skip


def test_orders_of_blocks_are_no_neighbours() -> None:
    found = space(STATED, ("tile", "group"), keep=False)
    assert [(c.loop, c.mark) for c in found.choices] == [("i", "tile"), ("k", "tile")]
    assert [(c.loop, c.values) for c in found.orders] == [("i", VALUES["group"]), ("k", VALUES["group"])]
    there = {"i": (("group", 8),), "k": ()}
    assert space(there, ("group",), keep=True).orders == ()
    assert len(space(there, ("group",), keep=False).orders) == 2
    assert space(STATED, ("tile",), keep=False).orders == ()


def test_neighbours_differ_in_one_mark() -> None:
    found = space({"i": (), "k": ()}, ("tile", "stages"), keep=False)
    near = [made for made, _, _ in changes((("i", (("tile", 64),)), ("k", ())), found.choices)]
    assert (("i", ()), ("k", ())) in near and (("i", (("tile", 64),)), ("k", (("stages", 2),))) in near
    assert len(near) == len(set(near)) == 11 + 11 + 3 + 3
    assert all(abs(size(one) - 1) <= 1 for one in near)


def test_everything_is_said_once() -> None:
    found = space({"i": (), "k": ()}, ("waves", "mfma"), keep=False)
    every = list(everything(found))
    waves = (1, 1, 2, 4, 8, 16)  # without the mark as well
    assert len(every) == len(set(every)) == sum(w * v <= 16 for w in waves for v in waves) * 9
    assert found.bare in every


@pytest.mark.parametrize(
    ("candidate", "good"),
    [
        ((("i", (("tile", 64), ("waves", 4), ("vec", 4), ("lanes", 8))),), False),
        ((("i", (("tile", 128), ("waves", 4), ("vec", 4), ("lanes", 8))),), True),
        ((("i", (("waves", 4),)), ("j", (("waves", 4),))), True),
        ((("i", (("waves", 4),)), ("j", (("waves", 8),))), False),
    ],
)
def test_what_never_can_be_is_left_out(candidate: Candidate, good: bool) -> None:
    assert possible(candidate) is good
