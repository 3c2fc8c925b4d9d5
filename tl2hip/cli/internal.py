"""What is told of a fault of tl2hip: enough to report it, without a traceback."""

from __future__ import annotations

import platform
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from tl2hip.cli.exits import INTERNAL as INTERNAL

_ROOT = Path(__file__).resolve().parent.parent
_FRAMES = 6


def block(error: BaseException, argv: Sequence[str], about: str = "") -> str:
    """The lines to report for an exception; `about` is the file that was being converted."""
    return "\n".join([*_what(error, about), *_where(error), *surroundings(argv), ""])


def surroundings(argv: Sequence[str]) -> list[str]:
    """Command, versions and what to do, as every report of a fault has them."""
    return [
        f"  command: tl2hip {shlex.join(argv)}",
        f"  versions: {versions()}",
        "  help: this is a fault of tl2hip; please report these lines, with the file if you can share it",
    ]


def versions() -> str:
    """tl2hip, what it reads with, Python and the system, in one line."""
    from importlib.metadata import PackageNotFoundError, version

    told = []
    for name in ("tl2hip", "libcst", "jinja2", "numpy"):
        try:
            told.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            told.append(f"{name} not installed")
    told.append(f"Python {platform.python_version()} ({sys.platform} {platform.machine()})")
    return ", ".join(told)


def _what(error: BaseException, about: str) -> list[str]:
    words = " ".join(str(error).split())[:200]
    while_ = f" (while converting {about})" if about else ""
    return [f"tl2hip: internal error: {type(error).__name__}: {words}{while_}"]


def _where(error: BaseException) -> list[str]:
    """The innermost frames, our own files by their place in the package."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"  at {_short(f.filename)}:{f.lineno} in {f.name}" for f in reversed(frames[-_FRAMES:])]


def _short(filename: str) -> str:
    path = Path(filename)
    try:
        return f"tl2hip/{path.resolve().relative_to(_ROOT).as_posix()}"
    except ValueError:
        return f"{path.parent.name}/{path.name}"
