"""The page for people who write rules: every block of it is run, and what it says is printed is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "rules" / "README.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, text in BLOCK.findall(PAGE.read_text()):
        first, _, rest = text.partition("\n")
        if language == "python" and first.startswith("# my_rules/"):
            path = Path(first.removeprefix("# "))
            path.parent.mkdir(exist_ok=True)
            old = path.read_text() + "\n\n" if path.exists() else ""
            path.write_text(old + rest)
        elif language == "python":
            exec(compile(text, str(PAGE), "exec"), {})
        elif language == "text":
            assert capsys.readouterr().out == text
        else:
            assert text.startswith("tl2hip ")
        ran += 1
    assert ran == 8
    from tl2hip.rule import check_rules

    report = check_rules(Path("my_rules"))
    assert report.ok, report.text
