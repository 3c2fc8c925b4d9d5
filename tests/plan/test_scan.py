"""Scans in chunks: right at every size, in one launch and in two, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove

SCANS = Path(__file__).parent / "scans.py"

LENGTHS = (0, 1, 2, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2048, 2049, 4095, 4096, 4097, 9001)
SOME = (0, 1, 64, 257, 1025)
"""Nothing, one, a wave, more than a block has threads, the first size that takes two launches."""
ROWS = ((3, 0), (0, 3), (1, 1), (5, 257))
FEW = {"modes": ("integers", "normal"), "shapes": 0, "large": 0, "python_work": 2_000, "steps": 40_000}


def _text(name: str) -> str:
    printed = convert(SCANS)[name].printed
    assert printed is not None
    return printed.text


def _shapes(name: str, lengths: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    nest = convert(SCANS)[name].nest
    assert nest is not None
    if not nest.dims:
        return ({},)
    if "M" in nest.dims:
        return tuple({"M": m, "N": n} for m, n in ROWS)
    return tuple({"N": n} for n in lengths)


@pytest.mark.parametrize("name", convert(SCANS))
def test_some_sizes_are_right(name: str) -> None:
    report = prove(SCANS, name, given=_shapes(name, SOME), **FEW)
    assert report.good, report.text


@pytest.mark.parametrize("name", ["inclusive", "longs", "positions", "half_sums"])
def test_every_size_is_right(name: str) -> None:
    report = prove(SCANS, name, given=_shapes(name, LENGTHS), **{**FEW, "modes": ("integers",)})
    assert report.good, report.text


THREE = "min_i64((N + 1023) / 1024, 1024)", "min_i64((N + 1023) / 1024, 3)"
"""The most blocks, and so few that their chunks have several tiles."""


def _in_three_chunks(name: str) -> str:
    text = _text(name)
    assert text.count(THREE[0]) == 2
    return text.replace(*THREE)


@pytest.mark.parametrize("name", ["inclusive", "positions", "reverse"])
def test_chunks_of_several_tiles_are_right(name: str) -> None:
    report = prove(SCANS, name, _in_three_chunks(name), given=_shapes(name, (1025, 3072, 7177)), **FEW)
    assert report.good, report.text


FAULTS = {
    "a hop over lanes missed": ("y = earlier<0x118>(x, none);", "y = none;"),
    "a hop over rows missed": ("y = earlier<0x142, 0xa>(x, none);", "y = none;"),
    "a hop to rows that have it already": ("earlier<0x142, 0xa>", "earlier<0x142, 0xf>"),
    "the lane itself among those before it": ("return earlier<0x138>(x, none);", "return x;"),
    "a wrong identity": ("none = -0.0f", "none = 1.0f"),
    "a wave that starts from nothing": ("if (wave == thread / 64)", "if (wave == 0)"),
    "no barrier before the waves' parts are read": ("__syncthreads();\n    all = ", "all = "),
    "no barrier before they are written again": (
        "__syncthreads();\n    return x;\n}\n\n// what",
        "return x;\n}\n\n// what",
    ),
    "the chunks before left out": ("block < block_x;", "block < 0;"),
    "a chunk's own part among those before": ("block < block_x;", "block <= block_x;"),
    "a tile not counted": ("y_vector;\n        s_so_far += s_tile;", "y_vector;"),
    "a part that misses a tile": ("tile < end;", "tile < end - 1024;"),
    "a part that misses elements": ("e < 4; ++e)", "e < 3; ++e)"),
    "a chunk that starts late": ("block_x * tiles / (blocks_x + 1)", "(block_x + 1) * tiles / (blocks_x + 1)"),
    "a run that is too short": ("first + 4, end)", "first + 3, end)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    right, wrong = FAULTS[fault]
    text = _in_three_chunks("inclusive")
    assert right in text, f"{fault}: plant it elsewhere"
    some = {**FEW, "modes": ("integers",), "python_work": 0}
    report = prove(
        SCANS, "inclusive", text.replace(right, wrong, 1), given=_shapes("inclusive", (513, 6145)), **some
    )
    assert not report.good, fault


def test_a_value_left_by_the_wrong_block_is_found() -> None:
    text, right = _text("positions"), "block_x == blocks_x - 1"
    assert right in text
    some = {**FEW, "modes": ("integers",), "python_work": 0}
    report = prove(
        SCANS, "positions", text.replace(right, "block_x == 0"), given=_shapes("positions", (4097,)), **some
    )
    assert not report.good
