"""The catalogue of problems is whole: codes, words, templates and pages."""

from __future__ import annotations

import importlib
from dataclasses import fields, is_dataclass
from pathlib import Path
from string import Formatter

import pytest

from tests.source.reading import read_text
from tl2hip.source import problems
from tl2hip.source.problems import MODULES, catalogue, lookup, opened, page
from tl2hip.source.problems.base import CATALOGUE as BY_CODE
from tl2hip.source.problems.base import Problem, show
from tl2hip.source.problems.reading import DefinedTwice
from tl2hip.source.span import Source, Span

CATALOGUE = catalogue()
CODES = sorted(CATALOGUE)
PARTS = {"article": "marks", "tiles": "marks"}
"""Modules that hold a part of another's range."""
FILLED = {f.name for f in fields(Problem)}


def family(module: str) -> str:
    """The module whose range a module holds a part of: `reading` for `reading_files`."""
    return PARTS.get(module, module.split("_")[0])


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_every_module_of_the_catalogue_is_imported() -> None:
    folder = Path(str(problems.__file__)).parent
    names = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    assert set(MODULES.values()) <= names
    assert {family(name) for name in names} == set(MODULES.values())
    before = set(CATALOGUE)
    for name in names:
        importlib.import_module(f"tl2hip.source.problems.{name}")
    assert set(BY_CODE) == before, "a module of the catalogue is not imported with it"


@pytest.mark.parametrize("code", CODES)
def test_a_class_stands_in_the_module_of_its_range(code: str) -> None:
    assert family(CATALOGUE[code].__module__.rsplit(".", 1)[1]) == MODULES[int(code[2])]
    assert len(code) == 5 and code.startswith("TL") and code[2:].isdigit()


@pytest.mark.parametrize("code", CODES)
def test_a_class_has_its_words(code: str) -> None:
    kind = CATALOGUE[code]
    assert kind.title and kind.message
    assert kind.severity in ("error", "warning")
    assert not kind.message.endswith(".") and "\n" not in kind.message + kind.help


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith("TL1")])
def test_a_reading_problem_has_a_whole_page(code: str) -> None:
    kind = CATALOGUE[code]
    assert kind.help and kind.why and kind.example and kind.rewrite
    assert kind.why.endswith(".")


@pytest.mark.parametrize("code", CODES)
def test_templates_name_only_fields(code: str) -> None:
    kind = CATALOGUE[code]
    assert is_dataclass(kind)
    names = {f.name for f in fields(kind)} - FILLED
    assert placeholders(kind.message) | placeholders(kind.help) <= names
    taken = {name for name in vars(Problem) if not name.startswith("_")} - {"at"}
    assert names.isdisjoint(taken), "a field would hide a part of every problem"


@pytest.mark.parametrize("code", CODES)
def test_a_page_shows_all_parts(code: str) -> None:
    kind = CATALOGUE[code]
    made = page(kind)
    assert made.startswith(f"# {code}: {kind.title}\n")
    assert made.endswith("\n") and not made.endswith("\n\n")
    for part in (opened(kind.message), kind.why, kind.example.rstrip(), kind.rewrite.rstrip()):
        assert part in made
    assert "{" not in opened(kind.message)
    assert made.count("```") == 2 * (bool(kind.example) + bool(kind.rewrite))


def test_lookup() -> None:
    assert lookup("TL111") is DefinedTwice
    assert lookup(" tl111 ") is DefinedTwice
    assert lookup("TL999") is None
    assert lookup("") is None


def test_a_code_is_taken_once() -> None:
    with pytest.raises(TypeError, match="TL111 is both"):
        type("Other", (Problem,), {"code": "TL111", "__qualname__": "Other"})
    assert CATALOGUE["TL111"] is DefinedTwice


def test_show() -> None:
    source = Source("k.py", "a\n\tb = c d\n")
    problem = DefinedTwice("b", 1, at=Span(2, 5, 2, 8))
    assert show(problem, source) == (
        "k.py:2:6: TL111: b is defined again; the first is in line 1\n"
        "    2 | \tb = c d\n"
        "      | \t    ^^^\n"
        "  help: give each function a name of its own"
    )


def test_the_same_problem_at_one_place_is_told_once() -> None:
    _, report = read_text("from tl2hip import kernel\n@kernel\ndef k(X):\n    X[0] = 1 in X not in X\n")
    assert len(report.problems) == 2
    report.add(report.problems[0])
    assert len(report.problems) == 2
