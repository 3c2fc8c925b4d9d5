"""What the paths of a command stand for: files one by one, and the Python files of folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.cli.ignore import Ignored, Pattern

STDIN = "-"
WRITTEN = "Written by tl2hip"
"""What the first line of every file that tl2hip writes says."""
_NEVER = frozenset(("__pycache__", "node_modules"))


@dataclass(frozen=True, slots=True)
class Input:
    """One source: its path, the name it is shown by, and its place below the folder that was named.

    `named`: the user named the file itself. `path` is "-" for stdin.
    """

    path: str
    name: str
    place: PurePath
    named: bool


@dataclass(slots=True)
class Files:
    """The sources that paths stand for, in the order of the paths, those of a folder by name; each file once.

    Of a folder's files those that `include` matches (any, where it is empty) and `exclude` does not. `left_out`
    counts the others, once the files have been gone through.
    """

    paths: Sequence[str]
    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    left_out: int = 0

    def __iter__(self) -> Iterator[Input]:
        seen: set[str] = set()
        self.left_out = 0
        for path in self.paths:
            for one in _inputs(path):
                key = one.path if one.path == STDIN else os.path.realpath(one.path)
                if key in seen:
                    continue
                seen.add(key)
                if one.named or self._takes(one.place):
                    yield one
                else:
                    self.left_out += 1

    def _takes(self, place: PurePath) -> bool:
        if self.include and not any(_within(place, p) for p in self.include):
            return False
        return not any(_within(place, p) for p in self.exclude)


def _within(place: PurePath, pattern: Pattern) -> bool:
    """Whether a pattern matches a file or a folder that it lies in."""
    folders = (p.as_posix() for p in place.parents if p.name)
    return any(map(pattern.matches.fullmatch, folders)) or (
        not pattern.folders_only and pattern.matches.fullmatch(place.as_posix()) is not None
    )


def _inputs(path: str) -> Iterator[Input]:
    if path == STDIN:
        yield Input(STDIN, "<stdin>", PurePath("stdin.py"), True)
    elif os.path.isdir(path):
        for place in _python_files(Path(path)):
            whole = os.path.join(path, place)
            yield Input(whole, PurePath(os.path.normpath(whole)).as_posix(), PurePath(place), False)
    else:
        yield Input(path, PurePath(path).as_posix(), PurePath(os.path.basename(path) or "file"), True)


def is_several(paths: Sequence[str]) -> bool:
    """Whether paths stand for more than one output: a folder does, whatever it holds."""
    return len(paths) > 1 or any(os.path.isdir(p) for p in paths)


def _python_files(folder: Path) -> Iterator[str]:
    """The Python files below a folder, relative to it: hidden ones, caches, virtual environments and what git
    ignores are left out; links to folders are not followed."""
    from tl2hip.cli.ignore import above

    root, levels = above(folder.resolve())
    yield from _walk(folder.resolve(), root, levels, "")


def _walk(folder: Path, root: Path, levels: tuple[Ignored, ...], below: str) -> Iterator[str]:
    from tl2hip.cli.ignore import Ignored, ignored, read_patterns

    shown = folder.relative_to(root).as_posix()
    prefix = "" if shown == "." else f"{shown}/"
    levels = (*levels, Ignored(prefix, read_patterns(folder)))
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") or ignored(prefix + entry.name, is_folder, levels):
            continue
        if is_folder:
            if entry.name not in _NEVER and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
                yield from _walk(Path(entry.path), root, levels, f"{below}{entry.name}/")
        elif entry.name.endswith(".py") and os.path.isfile(entry.path):  # a link to itself is none
            yield below + entry.name
