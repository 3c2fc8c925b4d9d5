"""Marks written into texts: what changes, and that nothing else does."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tl2hip import api
from tl2hip.source.load import decode, encode
from tl2hip.source.span import Source
from tl2hip.tune.write import Said, stated, write

GOLDEN = Path(__file__).parents[2] / "golden"

ODD = '''\
"""Doc."""
from tl2hip import (
    Tensor,
    Tile,
    dims,   # the extents
    kernel,  # last
)
N = dims("N")
@kernel
def  f( x:Tensor[ f32,N ] ) :
  """D"""

  # about i
  i :  Tile[ int,4 ] ; y = 1  # odd
  # before
  for  i in range( N ) :
      x [i] = 0

  # rows
  for j in range(N):
     for k in range(N): x[j] += 1
  for j in range(N): x[j] += 1
def g(x):
    for i in range(3):
        pass
'''


def changed(text: str, kernel: str, said: Said) -> list[str]:
    """The lines that writing marks takes out and puts in."""
    new = write(text, kernel, said)
    lines = difflib.unified_diff(text.splitlines(True), new.splitlines(True), n=0, lineterm="")
    return [line.rstrip("\n") for line in lines if not line.startswith(("---", "+++", "@@"))]


def test_a_mark_changes_at_its_place_and_its_name_is_imported() -> None:
    text = (GOLDEN / "gemm" / "kernel.py").read_text()
    said = {"i": (("tile", 64), ("waves", 2), ("vec", 4)), "j": (("tile", 128), ("waves", 2)), "k": ()}
    assert changed(text, "gemm", said) == [
        "-from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages, waves",
        "+from tl2hip import Tensor, Tile, dims, f16, f32, kernel, stages, vec, waves",
        "-    i: Tile[int, 128, waves(2)]",
        "+    i: Tile[int, 64, waves(2), vec(4)]",
        "-    k: Tile[int, 64, stages(2)]",
    ]


def test_new_marks_go_above_the_outermost_loop() -> None:
    assert changed(ODD, "f", {"k": (("stages", 3),), "j": (("tile", 8),)}) == [
        "+    stages,",
        "+  j: Tile[int, 8]",
        "+  k: Tile[int, stages(3)]",
    ]
    lines = write(ODD, "f", {"j": (("tile", 8),)}).splitlines()
    at = lines.index("  j: Tile[int, 8]")
    assert lines[at - 1 : at + 3] == ["", "  j: Tile[int, 8]", "  # rows", "  for j in range(N):"]


def test_what_goes_leaves_its_line_and_comments() -> None:
    assert changed(ODD, "f", {"i": ()}) == ["-  i :  Tile[ int,4 ] ; y = 1  # odd", "+  y = 1  # odd"]
    assert changed(ODD.replace("; y = 1  # odd", ""), "f", {"i": ()}) == ["-  i :  Tile[ int,4 ] "]
    back = ODD.replace("i :  Tile[ int,4 ] ; y = 1", "y = 1; i: Tile[int, 4]")
    assert changed(back, "f", {"i": ()})[1] == "+  y = 1  # odd"


def test_marks_that_are_there_already_change_nothing() -> None:
    assert write(ODD, "f", {"i": (("tile", 4),), "j": ()}) == ODD
    assert write(ODD, "g", {"i": ()}) == ODD


def test_only_the_kernel_that_is_meant_changes() -> None:
    assert changed(ODD, "g", {"i": (("tile", 2),)}) == ["+    i: Tile[int, 2]"]


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("text", [p.read_text() for p in sorted(GOLDEN.glob("*/kernel.py"))])
def test_marks_that_are_written_and_taken_out_leave_the_text(text: str, end: str) -> None:
    text = text.replace("\n", end)
    done = api.convert(Source("kernel.py", text))
    for kernel in done.kernels:
        there = stated(text, kernel.name)
        loops = {name: marks for name, marks in there.items() if marks is not None}
        marked = write(text, kernel.name, dict.fromkeys(loops, (("tile", 32), ("unroll", 2))))
        if loops:
            assert stated(marked, kernel.name) == {
                name: None if there[name] is None else (("tile", 32), ("unroll", 2)) for name in there
            }
            assert marked != text
        back = write(marked, kernel.name, loops)
        gone = [line for line in difflib.ndiff(text.splitlines(True), back.splitlines(True)) if line[0] in "+-"]
        assert all("from tl2hip import" in line for line in gone), gone


def test_an_import_that_is_set_out_in_lines_stays_so() -> None:
    last = ODD.replace("    kernel,  # last", "    kernel  # last")
    assert changed(last, "f", {"j": (("waves", 2),)}) == [
        "-    kernel  # last",
        "+    kernel,",
        "+    waves  # last",
        "+  j: Tile[int, waves(2)]",
    ]
    comma = changed(ODD, "f", {"j": (("waves", 2),)})
    assert comma == ["+    waves,", "+  j: Tile[int, waves(2)]"]


def test_comments_in_an_import_stay() -> None:
    head = ODD.partition('N = dims("N")')[0]
    set_out = ("Tensor, Tile,\n    dims, kernel,  # odd", "Tensor, Tile, dims, kernel,  # odd", "Tile,\n    # tail")
    for names in set_out:
        new = write(ODD.replace(head, f"from tl2hip import (\n    {names}\n)\n"), "f", {"j": (("waves", 2),)})
        assert new.count("# odd") == 1 + ("# odd" in names) and ("# tail" in new) == ("# tail" in names)
        compile(new, "k.py", "exec")


def test_a_comment_above_the_last_line_of_a_block_stays() -> None:
    text = "from tl2hip import Tile\ndef f(x):\n  if x:\n    # why\n    i: Tile[int, 4]\n"
    text += "  for i in range(3):\n    x[i] = 0\n"
    assert sorted(changed(text, "f", {"i": ()})) == ["+    pass", "-    i: Tile[int, 4]"]


def test_a_kernel_below_an_if_is_found() -> None:
    text = "if True:\n    def f(x):\n        for i in range(3):\n            x[i] = 0\n"
    assert stated(text, "f") == {"i": ()}
    assert changed("from tl2hip import *\n" + text, "f", {"i": (("tile", 4),)}) == ["+        i: Tile[int, 4]"]
    with pytest.raises(KeyError):
        write(text.replace("if True", "class A"), "f", {"i": (("tile", 4),)})


def test_names_are_what_python_takes_them_for() -> None:
    """Python normalizes names: the ligature is `fi`."""
    text = "from tl2hip import Tile\ndef f(x):\n  \ufb01: Tile[int, 4]\n  for fi in range(3):\n    x[fi] = 0\n"
    assert stated(text, "f") == {"fi": (("tile", 4),)}
    assert changed(text, "f", {"fi": (("tile", 8),)})[1:] == ["+  \ufb01: Tile[int, 8]"]


def test_lone_carriage_returns_stay() -> None:
    text = ODD.replace("\n", "\r")
    assert write(text, "f", {"i": (("tile", 8),)}) == text.replace("Tile[ int,4 ]", "Tile[int, 8]")


BARE = "@tl.kernel\ndef g(x):\n\tfor i in range(3):\n\t\tpass"


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("import tl2hip as tl\n", ["+\ti: tl.Tile[int, 4, tl.waves(2)]"]),
        ("import tl2hip\n", ["+\ti: tl2hip.Tile[int, 4, tl2hip.waves(2)]"]),
        ("from tl2hip import *\n", ["+\ti: Tile[int, 4, waves(2)]"]),
        ("from tl2hip import Tile as T, waves as w\n", ["+\ti: T[int, 4, w(2)]"]),
        (
            '"""Doc."""\nimport numpy as np\nwaves = 3\n',
            ["+from tl2hip import Tile, waves as waves_mark", "+\ti: Tile[int, 4, waves_mark(2)]"],
        ),
        (
            "import numpy as np\nwaves, waves_mark = 3, 4\n",
            ["+from tl2hip import Tile, waves as waves_mark_mark", "+\ti: Tile[int, 4, waves_mark_mark(2)]"],
        ),
        (
            "from tl2hip import Tensor; x = 1\n",
            [
                "-from tl2hip import Tensor; x = 1",
                "+from tl2hip import Tensor, Tile, waves; x = 1",
                "+\ti: Tile[int, 4, waves(2)]",
            ],
        ),
    ],
)
def test_marks_are_spelled_as_the_file_speaks_of_tl2hip(head: str, told: list[str]) -> None:
    assert changed(head + BARE, "g", {"i": (("tile", 4), ("waves", 2))}) == told


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("i: Tile[int, 128, waves(2)]", (("tile", 128), ("waves", 2))),
        ("i: Tile[int, stages(2)]", (("stages", 2),)),
        ("i: Tile[int, serial]", None),
        ("i: Tile[int, block]", None),
        ("i: Tile[int, waves(n)]", None),
        ("i: 'Tile[int, 128]'", None),
        ("i: 'not [ one'", ()),
        ("i: Tile[int, (  # so many\n        128)]", None),
        ("i: List[int, 128]", ()),
        ("i: int", ()),
    ],
)
def test_what_a_kernel_says(line: str, said: object) -> None:
    text = f"from tl2hip import *\ndef g(x):\n    {line}\n    for i in range(3):\n        pass\n"
    assert stated(text, "g") == {"i": said}


def test_loops_that_are_not_over_a_range_take_no_marks() -> None:
    text = "from tl2hip import tile, tiled\ndef g(x):\n"
    for loop in ("i in tile.range(9, 2)", "j, k in product(a, b)", "n in x", "m in tiled(range(9), 2)"):
        text += f"    for {loop}:\n        pass\n"
    assert stated(text, "g") == {"m": None}


def test_bytes_of_another_encoding_stay() -> None:
    for data in (b"\xef\xbb\xbfx = '\xc3\xa4'\r\n", b"# coding: latin-1\nx = '\xe4'\n"):
        text = decode(data, "k.py").text
        assert encode(data, text) == data
        assert encode(data, text + "y = 1\n") == data + b"y = 1\n"
