"""A file is run as it stands, however soon after it was run before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tl2hip.source.fresh import run_module


def test_a_file_changed_within_a_second_is_run_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    path = tmp_path / "changing.py"
    for value in (1, 2, 3):
        path.write_text(f"value = {value}\n")
        assert run_module("changing", path).value == value
    assert [p.name for p in tmp_path.iterdir()] == ["changing.py"], "no compiled files beside a user's"
