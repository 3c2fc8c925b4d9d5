"""Rules about accesses: of compiled kernels with a planted fault, and of those without it."""

from __future__ import annotations

import pytest

from tests.prove.advice.handmade import compiled, line_with
from tl2hip.prove.advice import remarks
from tl2hip.prove.advice.memory import bank_conflicts, narrow_accesses, uncoalesced
from tl2hip.prove.emulate import unsupported

pytestmark = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("rows_144", "LDS reads conflict 2-way at line {}: row pitch 144 bytes; 152 bytes would not conflict"),
        ("rows_64", "LDS reads conflict 8-way at line {}: row pitch 64 bytes; 72 bytes would not conflict"),
    ],
)
def test_rows_that_meet_in_a_bank(kernel: str, sentence: str) -> None:
    f = compiled(kernel)
    said = bank_conflicts(f)
    assert said is not None and said.place is not None
    assert said.text == sentence.format(line_with(f"// {kernel[5:]}"))
    assert said.place.hip == line_with("// reads a row") and said.weight > 0.1
    assert said in remarks(f)


def test_rows_that_do_not_meet() -> None:
    f = compiled("rows_136")
    assert bank_conflicts(f) is None
    (group,) = (one for one in f.groups if one.first.lds and one.first.hot)
    assert group.first.pitch == 136 and group.first.ways == 1.0 and group.first.better is None


def test_lanes_that_are_far_apart() -> None:
    said = uncoalesced(compiled("strided"))
    assert said is not None
    at = line_with("// strided")
    assert said.text == f"global loads at line {at} use 256 of 4,096 bytes requested: lanes are 256 bytes apart"
    assert uncoalesced(compiled("side_by_side")) is None


def test_a_word_that_all_lanes_want_is_no_waste() -> None:
    f = compiled("one_word")
    (loads,) = (one for one in f.groups if one.first.kind == "global loads")
    assert (loads.total("used"), loads.total("requested"), loads.total("moved")) == (4, 64, 256)
    assert uncoalesced(f) is None


def test_narrow_accesses() -> None:
    said = narrow_accesses(compiled("narrow"))
    at = line_with("// narrow")
    told = f"global loads at line {at} move 2 bytes a lane: neighbours in one access need fewer of them"
    assert said is not None and said.text == told
    assert narrow_accesses(compiled("side_by_side")) is None
