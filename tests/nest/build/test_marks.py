"""Tiles and marks: kept on their axes, or refused at their place."""

from __future__ import annotations

import pytest

from tests.nest.build.helpers import built, codes, nest_of, refusal, underlined
from tl2hip.nest.ir import Axis, Loop
from tl2hip.nest.walk import all_stmts

LOOPS = "    for i in range(N):\n        for j in range(M):\n            y[i] += x[j]\n"


def over(annotation: str, loops: str = LOOPS, head: str = "x: Tensor[f32, M], y: Tensor[f32, N]") -> str:
    return f"@kernel\ndef f({head}) -> None:\n    {annotation}\n{loops}"


def axes(text: str, **options: object) -> list[Axis]:
    return [s.axis for s in all_stmts(nest_of(text, **options).body) if isinstance(s, Loop)]


def test_a_tile_holds_for_every_loop_over_its_name() -> None:
    i, j, again = axes(over("i: Tile[int, 64, unroll(4)]", LOOPS + "    for i in range(N):\n        y[i] = 0\n"))
    assert (i.tile, j.tile, again.tile) == (64, None, 64)
    assert [(m.name, m.value) for m in i.marks] == [("unroll", 4)]
    assert not j.marks and i.marked("unroll")


def test_all_marks_are_kept_for_the_plan() -> None:
    text = over("i: Tile[int, 256, waves(2), lanes(32), vec(4), stages(2)]\n    j: Tile[int, serial]")
    i, j = axes(text)
    lines = built(text)[2].lines
    places = [*((m.text, m.at) for m in i.marks), ("256", i.tile_at)]
    assert [lines[at.line - 1][at.column : at.end_column] for _, at in places] == [text for text, _ in places]
    assert [(m.name, m.value) for m in i.marks] == [("waves", 2), ("lanes", 32), ("vec", 4), ("stages", 2)]
    assert [(m.name, m.value) for m in j.marks] == [("serial", None)] and j.tile is None
    assert codes(over("i: Tile[int, 8, serial, unroll(2)]")) == []


def test_tiled_marks_one_loop() -> None:
    loops = (
        "    for i in tiled(range(N), 32, unroll(2)):\n        y[i] = 1\n    for i in range(N):\n        y[i] = 2\n"
    )
    first, second = axes(over("pass", loops))
    assert (first.tile, second.tile) == (32, None)


def test_constants_in_marks() -> None:
    head = "x: Tensor[f32, M], y: Tensor[f32, N], *, block: int = 64"
    assert axes(over("i: Tile[int, block]", head=head))[0].tile == 64
    assert axes(over("i: Tile[int, block]", head=head), sets={"block": 128})[0].tile == 128
    assert nest_of(over("i: Tile[int, block]", head=head)).order == ("x", "y")
    assert axes("BLOCK = 32\n" + over("i: Tile[int, BLOCK * 2]"))[0].tile == 64
    text = over("i: Tile[int, block]", head=head.replace(" = 64", ""))
    assert refusal(text) == ("TL315", "block")


def test_tiles_that_are_set() -> None:
    assert [a.tile for a in axes(over("i: Tile[int, 64]"), tiles={"i": 16, "j": 8})] == [16, 8]
    assert codes(over("pass"), tiles={"q": 16}) == ["TL212"]
    assert codes(over("i: Tile[int, 64, unroll(2)]\n    j: Tile[int, 8, vec(8)]"), tiles={"j": 12}) == ["TL205"]


@pytest.mark.parametrize(
    ("annotation", "code", "text"),
    [
        ("i: Tile[int, 0]", "TL202", "0"),
        ("i: Tile[int, -1]", "TL202", "-1"),
        ("i: Tile[int, 64, waves(3)]", "TL202", "waves(3)"),
        ("i: Tile[int, 64, stages(0)]", "TL202", "stages(0)"),
        ("i: Tile[int, 64, lanes(128)]", "TL202", "lanes(128)"),
        ("i: Tile[int, 64, wave(2)]", "TL201", "wave(2)"),
        ("i: Tile[int, 64, 32]", "TL201", "32"),
        ("i: Tile[int, N]", "TL204", "N"),
        ("i: Tile[int, 64, unroll(N)]", "TL204", "N"),
        ("i: Tile[int, 2.5]", "TL204", "2.5"),
        ("i: Tile[int]", "TL208", "Tile[int]"),
        ("i: Tile[()]", "TL208", "Tile[()]"),
        ("i: Tile", "TL208", "Tile"),
        ("i: Tile[f32, 64]", "TL208", "f32"),
        ("i: Tile[int, 64, unroll]", "TL208", "unroll"),
        ("i: Tile[int, 64, serial(1)]", "TL208", "serial(1)"),
        ("i: Tile[int, 64, unroll(2), unroll(2)]", "TL208", "unroll(2)"),
        ("i: Tile[int, 64] = 3", "TL208", "i: Tile[int, 64] = 3"),
        ("k: Tile[int, 64]", "TL206", "Tile[int, 64]"),
        ("i: Tile[int, 8]\n    i: Tile[int, 16]", "TL207", "i: Tile[int, 16]"),
    ],
)
def test_refusals(annotation: str, code: str, text: str) -> None:
    assert refusal(over(annotation)) == (code, text)


def test_marks_must_divide_the_tile() -> None:
    nest, problems, source = built(over("i: Tile[int, 96, waves(4), lanes(64)]"))
    assert nest is None
    errors = [p for p in problems if p.severity == "error"]
    assert [(p.code, underlined(p, source)) for p in errors] == [("TL205", "Tile[int, 96, waves(4), lanes(64)]")]


def test_an_annotation_below_its_loop_is_refused() -> None:
    text = f"@kernel\ndef f(x: Tensor[f32, M], y: Tensor[f32, N]) -> None:\n{LOOPS}    i: Tile[int, 64]\n"
    assert refusal(text) == ("TL206", "Tile[int, 64]")
