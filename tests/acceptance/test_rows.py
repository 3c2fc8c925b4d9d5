"""Each row of the table is as it says, and the page is what the rows say."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance import __main__ as command
from tests.acceptance.row import ROOT, Row, place
from tests.acceptance.table import PAGE, ROWS, page
from tests.proofs import conversion, prove
from tl2hip.source.problems.base import Problem

HERE = Path(__file__).parent
MARK = re.compile(r"  # ((?:TL\d{3} ?)+)$")


@functools.cache
def functions(path: Path) -> dict[str, ast.FunctionDef]:
    """The functions of a file by name, those of classes as `Class.name`."""
    found: dict[str, ast.FunctionDef] = {}
    for s in ast.parse(path.read_text(encoding="utf-8")).body:
        inner = [(f"{s.name}.", b) for b in s.body] if isinstance(s, ast.ClassDef) else [("", s)]
        found |= {f"{outer}{f.name}": f for outer, f in inner if isinstance(f, ast.FunctionDef)}
    return found


def lines_of(path: Path, name: str) -> range:
    function = functions(path)[name]
    return range(function.lineno, (function.end_lineno or 0) + 1)


def marked(path: Path, lines: range) -> list[tuple[int, str]]:
    """The codes written at the ends of lines, each with its line."""
    text = path.read_text(encoding="utf-8").splitlines()
    found = ((n, MARK.search(text[n - 1])) for n in lines)
    return [(n, code) for n, m in found if m for code in m[1].split()]


def errors(path: Path, lines: range) -> list[Problem]:
    return [p for p in conversion(path).errors if p.at.line in lines]


@functools.cache
def check_proven(path: Path, name: str) -> None:
    """The kernel converts; those of this folder are proven here, others by the tests of their own folder."""
    if HERE not in path.parents:
        (kernel,) = (k for k in conversion(path).kernels if k.name == name)
        assert kernel.printed is not None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = prove(path, name, **SMALL, shapes=2, large=0, modes=("coded", "normal", "positive"))
        special = prove(path, name, **SMALL, shapes=1, plan=None, modes=("edges",))
    assert report.good, report.text
    assert special.good, special.text
    assert any(c.python == "equal" for c in report.cases), report.text


SMALL: dict[str, Any] = {"work": 3_000, "python_work": 3_000}


def check_refused(path: Path, name: str, code: str) -> None:
    """The kernel is refused at the lines marked in its text, with the codes marked there, and a way out is told."""
    lines = lines_of(path, name)
    found = errors(path, lines)
    assert [(p.at.line, p.code) for p in found] == marked(path, lines), conversion(path).told
    assert found[0].code == code
    assert all(p.way_out for p in found)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.section}: {r.name}")
def test_row(row: Row) -> None:
    for k, shown in enumerate(row.shown):
        path, name = place(shown)
        if path.name.startswith("test_"):
            assert name in functions(path), shown
        elif not name:
            assert path.is_file() and path.parent.name == "errors" and path.name.startswith(row.code or "TL"), shown
        elif row.code and k == 0:
            check_refused(path, name, row.code)
        else:
            check_proven(path, name)
    if row.instead:
        check_proven(*place(row.instead))
    assert row.shown or row.note, "nothing shows it and nothing says why"


def test_each_name_stands_once_in_its_section() -> None:
    names = [(r.section, r.area, r.name) for r in ROWS]
    assert len(names) == len(set(names))


def test_each_kernel_of_this_folder_is_in_the_table() -> None:
    shown = {s for r in ROWS for s in (*r.shown, r.instead)}
    tests = (HERE / "test_peers_values.py").read_text(encoding="utf-8")
    shown |= {f"tests/acceptance/{file}::{name}" for file, name in re.findall(r'"(\w+\.py)", "(\w+)"', tests)}
    files = {HERE / f"{p.stem}.py" for p in HERE.glob("*.py") if "@kernel\n" in p.read_text(encoding="utf-8")}
    kernels = {
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in files - {Path(__file__)}
        for name, f in functions(path).items()
        if any(isinstance(d, ast.Name) and d.id == "kernel" for d in f.decorator_list)
    }
    assert len(kernels) > 100 and kernels <= shown


def test_an_update_writes_what_differs_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "PAGE", docs / "acceptance.md")
    said = []
    for arguments in ([], ["--update"], ["--update"], []):
        code = command.main(arguments)
        said.append((code, capsys.readouterr().out.partition(": ")[2].strip()))
        if docs.exists():
            (docs / "other.md").touch()
    assert said == [(1, "not current: run with --update"), (0, "written"), (0, "unchanged"), (0, "unchanged")]
    assert sorted(p.name for p in docs.iterdir()) == ["acceptance.md", "other.md"]
    assert b"\r" not in (docs / "acceptance.md").read_bytes()


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8").replace("\r\n", "\n") == page(), (
        "run python -m tests.acceptance --update"
    )
