"""Bytes to text by Python's rules, and what is said of files that give none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tl2hip.source.load import decode, load
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import NOWHERE, Span


def refusal(data: bytes) -> Problem:
    with pytest.raises(Refused) as caught:
        decode(data, "a.py")
    return caught.value.problem


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        ("x = 'ü'\r\n".encode(), "x = 'ü'\r\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n"),
        (b"# coding: latin-1\nx = '\xfc'\n", "# coding: latin-1\nx = 'ü'\n"),
        (b"#!python\n# -*- coding: cp1252 -*-\n'\x80'\n", "#!python\n# -*- coding: cp1252 -*-\n'€'\n"),
        (b"", ""),
    ],
)  # fmt: skip
def test_text_as_python_reads_it(data: bytes, text: str) -> None:
    assert decode(data, "a.py").text == text


def test_a_byte_that_is_no_text_has_a_place() -> None:
    problem = refusal("x = 1\r\ny = 'ü".encode() + b"\xff'\n")
    assert problem.code == "TL104" and problem.at == Span(2, 6, 2, 7)
    assert "0xff" in problem.text and "utf-8" in problem.text
    late = refusal(b"x = 1\n" * 10 + b"\xe9\n")
    assert late.at == Span(11, 0, 11, 1)


def test_encodings_that_do_not_exist_or_contradict() -> None:
    assert refusal(b"# coding: klingon\n").code == "TL104"
    assert "klingon" in refusal(b"# coding: klingon\n").text
    assert refusal(b"\xef\xbb\xbf# coding: latin-1\n").code == "TL104"
    assert refusal(b"# coding: hex\n").code == "TL104"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a kernel ü.py"
    path.write_bytes(b"x = 1\n")
    assert load(path).text == "x = 1\n"
    assert load(path, "shown.py").name == "shown.py"


@pytest.mark.parametrize("name", ["missing.py", "folder", "nul\0.py", "a.py/b.py"])
def test_what_is_no_readable_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.py").write_text("")
    with pytest.raises(Refused) as caught:
        load(tmp_path / name)
    assert caught.value.problem.code == "TL103"
    assert caught.value.problem.at == NOWHERE


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(Refused) as caught:
        load(tmp_path / "a.py")
    assert caught.value.problem.text == "cannot be read: Permission denied"
