"""Places equal those of libcst's own provider, which takes several times as long."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from tests.source.programs import Programs
from tests.source.reading import in_kernel
from tl2hip.source.places import places

ROOT = Path(__file__).parents[2]
OWN = sorted((ROOT / "tl2hip" / "source").glob("[a-z]*.py"))


def agree(text: str) -> None:
    tree = cst.parse_module(text)
    ours = places(tree)
    theirs = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
    assert len(ours) > 5
    for node, at in ours.items():
        start, end = theirs[node].start, theirs[node].end
        assert (at.line, at.column, at.end_line, at.end_column) == (start.line, start.column, end.line, end.column)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_on_real_files(path: Path) -> None:
    agree(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(8))
def test_on_random_programs(seed: int) -> None:
    agree(in_kernel(Programs(seed, wild=False).body(3)))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_on_other_line_ends(end: str) -> None:
    agree(in_kernel("x = (1 +\n  2)\n'''a\nb'''\nfor i in x:\n\tpass").replace("\n", end))
