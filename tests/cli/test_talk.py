"""A line of progress fits the terminal that it is on."""

from __future__ import annotations

import io
import os
import sys

import pytest

from tl2hip.cli import talk


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


@pytest.mark.parametrize(("columns", "fits"), [(40, 39), (0, talk.WIDE - 1)])
def test_progress_is_no_longer_than_a_line(monkeypatch: pytest.MonkeyPatch, columns: int, fits: int) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((columns, 24)))
    progress = talk.Progress()
    progress.bar(3, 9, 1e15)
    words = terminal.getvalue().removeprefix("\r\x1b[K")
    assert words.startswith("[####") and len(words) == fits
    progress.clear()
    assert terminal.getvalue().endswith("\r\x1b[K")
