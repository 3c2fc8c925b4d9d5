"""Which files a folder's `.gitignore` leaves out, as git reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a `.gitignore`: what it matches below its folder, and whether it takes files back in."""

    matches: re.Pattern[str]
    keeps: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns of one folder, those of the folders above it before them."""

    folder: str
    """Relative to the root that the walk began at, "" or ending in "/"."""
    patterns: tuple[Pattern, ...]


def read_patterns(folder: Path) -> tuple[Pattern, ...]:
    """The patterns of the `.gitignore` in a folder; none where there is no such file."""
    try:
        text = (folder / ".gitignore").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ()
    return tuple(p for line in text.splitlines() if (p := pattern(line)) is not None)


def pattern(line: str) -> Pattern | None:
    """One line of a `.gitignore`; None for an empty line or a comment.

    >>> found = pattern("build/")
    >>> found.folders_only, bool(found.matches.fullmatch("a/build"))
    (True, True)
    """
    text = _without_spaces(line)
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text[1:] if keeps else text
    folders_only = text.endswith("/")
    text = text[:-1] if folders_only else text
    if not text.strip("/"):
        return None
    anchored = "/" in text
    body = _regex(text.removeprefix("/"))
    return Pattern(re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL), keeps, folders_only)


def _without_spaces(line: str) -> str:
    """The line without spaces at its end, but for one that a backslash keeps."""
    text = line.rstrip(" ")
    behind = len(text) - len(text.rstrip("\\"))
    return text + " " if behind % 2 and text != line else text


def _regex(glob: str) -> str:
    out, i = "", 0
    while i < len(glob):
        if glob.startswith("**/", i) and (i == 0 or glob[i - 1] == "/"):
            out, i = out + "(?:[^/]+/)*", i + 3
        elif glob[i:] == "**" and i and glob[i - 1] == "/":
            out, i = out + ".+", len(glob)
        elif glob[i] == "*":
            end = i + len(glob[i:]) - len(glob[i:].lstrip("*"))
            out, i = out + "[^/]*", end
        elif glob[i] == "?":
            out, i = out + "[^/]", i + 1
        elif glob[i] == "[" and (end := _class_end(glob, i)):
            out, i = out + _class(glob[i + 1 : end]), end + 1
        elif glob[i] == "\\" and i + 1 < len(glob):
            out, i = out + re.escape(glob[i + 1]), i + 2
        else:
            out, i = out + re.escape(glob[i]), i + 1
    return out


def _class_end(glob: str, start: int) -> int:
    """Where a bracket that opens at `start` closes; 0 where it does not."""
    i = start + 1
    if glob[i : i + 1] in ("!", "^"):
        i += 1
    return max(0, glob.find("]", i + 1))


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    body = body.replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^").replace("]", "\\]")
    return f"(?!/)[{'^' if negated else ''}{body}]"


def ignored(path: str, is_folder: bool, levels: tuple[Ignored, ...]) -> bool:
    """Whether a path (relative to the root, with "/") is left out; the last pattern that matches decides."""
    for level in reversed(levels):
        inside = path[len(level.folder) :]
        for one in reversed(level.patterns):
            if (is_folder or not one.folders_only) and one.matches.fullmatch(inside):
                return not one.keeps
    return False


def above(folder: Path) -> tuple[Path, tuple[Ignored, ...]]:
    """The root of the repository that a folder lies in, and the patterns from there down to above the folder.

    Outside a repository the root is the folder itself, and nothing above it counts.
    """
    root = next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)
    levels: list[Ignored] = []
    place = root
    for part in folder.relative_to(root).parts:
        shown = place.relative_to(root).as_posix()
        levels.append(Ignored("" if shown == "." else f"{shown}/", read_patterns(place)))
        place = place / part
    return root, tuple(levels)
