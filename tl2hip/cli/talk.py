"""What goes to stderr: problems, progress and summaries, coloured on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from tl2hip.cli.arguments import coloured

_HEAD = re.compile(r"^(.+?): ((?:warning: )?)(TL\d{3})(: .*)$")
_CARETS = re.compile(r"^( +\| .*?)(\^+)$")


def tell(text: str) -> None:
    """Writes lines to stderr."""
    if coloured(sys.stderr):
        text = "\n".join(map(_painted, text.split("\n")))
    sys.stderr.write(text + "\n")


def _painted(line: str) -> str:
    if head := _HEAD.match(line):
        colour = 33 if head[2] else 31
        return f"\x1b[1m{head[1]}\x1b[0m: \x1b[{colour}m{head[2]}{head[3]}\x1b[0m{head[4]}"
    if carets := _CARETS.match(line):
        return f"{carets[1]}\x1b[31m{carets[2]}\x1b[0m"
    return line


BAR = 30
"""Columns of a progress bar."""
WIDE = 80
"""Columns of a terminal that does not say how many it has."""


class Progress:
    """A line on a terminal that says how far a long run is; nothing elsewhere."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty()
        self.shown = False

    def show(self, done: int, name: str) -> None:
        """Says what was done last."""
        if done > 1:
            self._write(f"{done} converted: {name[-60:]}")

    def bar(self, done: int, most: int, best: float | None) -> None:
        """Says how many of so many candidates are judged, and the best score of theirs."""
        filled = BAR * min(done, most) // max(1, most)
        score = "" if best is None else f", the best {best:,.0f} clocks"
        self._write(f"[{'#' * filled}{'.' * (BAR - filled)}] {done} of at most {most} judged{score}")

    def _write(self, words: str) -> None:
        if self.on:
            sys.stderr.write(f"\r\x1b[K{words[: _columns() - 1]}")
            sys.stderr.flush()
            self.shown = True

    def clear(self) -> None:
        """Takes the line away."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            self.shown = False


def _columns() -> int:
    """Columns of the terminal: a longer line would stay when it is to be taken away."""
    import os

    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDE
    except (OSError, ValueError):  # a terminal that is not the system's
        return WIDE


def summary(converted: int, unchanged: int, refused: int, skipped: int, left: int, differ: int | None) -> None:
    """The counts of a run: kernels, files without any, files that patterns left out. `differ`: outputs were only
    compared, and so many would change."""
    done = f"{converted} converted" if differ is None else f"{converted} would change"
    told = [done, f"{unchanged} unchanged", f"{refused} refused"]
    tell("; ".join([f"tl2hip: kernels: {', '.join(told)}", *_files(skipped, left)]))


def _files(skipped: int, left: int) -> Iterator[str]:
    for count, what in ((skipped, "without kernels skipped"), (left, "left out by --include or --exclude")):
        if count:
            yield f"{count} {'file' if count == 1 else 'files'} {what}"


def diff(old: str | None, new: str, name: str) -> str:
    """A unified diff from the text in a file to the one it would have."""
    import difflib

    before = (old or "").splitlines(keepends=True)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(
            before, new.splitlines(keepends=True), name if old is not None else "/dev/null", name
        )
    )
