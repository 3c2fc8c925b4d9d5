"""docs/tune.md is true: its example is what is printed, its options are those there are."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tl2hip.cli import tune
from tl2hip.prove.emulate import unsupported
from tl2hip.tune import store
from tl2hip.tune.space import VALUES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8")
OF_ALL = {"-h", "--kernel", "--all", "--set", "--tile", "--types", "--rules", "--include", "--exclude"}
"""Options that several commands have, and that are told elsewhere."""


def without_numbers(text: str) -> str:
    """Figures differ from one compiler to the next, and with them which of two like candidates comes first."""
    return re.sub(r"\s+", " ", re.sub(r"[\d,.]+", "#", text)).strip()


@pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
def test_the_example_is_what_is_printed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    (command,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(ROOT)
    program, *argv = shlex.split(command)
    assert program == "tl2hip"
    assert without_numbers(cli(*argv, "--jobs", "1").out) == without_numbers(shown)


def test_every_option_is_told() -> None:
    parser = argparse.ArgumentParser()
    tune.add(parser)
    options = {action.option_strings[0] for action in parser._actions if action.option_strings}
    told = re.findall(r"^\| `(--[\w-]+)", PAGE, re.MULTILINE)
    assert set(told) == options - OF_ALL and len(told) == len(set(told))
    assert f"judges so many at most ({tune.BUDGET})" in PAGE
    assert ", ".join(f"`{mark}`" for mark in VALUES) in PAGE
