"""Where a text goes: stdout, one file, or a place in a folder. Files change in one step or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path, PurePath

from tl2hip.cli.inputs import STDIN, WRITTEN, Input
from tl2hip.source.problems.base import Refused

SUFFIXES = {"": ".hip", "read": ".read.txt", "nest": ".nest.py", "rules": ".rules.txt", "plan": ".plan.txt"}
"""How an output's name ends, by the stage that `--stop-after` names."""

_OF_FILES = frozenset(".hip .cu .c .cc .cpp .cxx .h .hh .hpp .hxx .txt .py .json".split())


def is_file(output: str) -> bool:
    """Whether `-o` names a file: one that is there, or a path that ends as a text's name does."""
    return not is_folder(output) and (os.path.exists(output) or PurePath(output).suffix.lower() in _OF_FILES)


def is_folder(output: str) -> bool:
    """Whether `-o` names a folder: one that is there, or a path that ends as one."""
    return os.path.isdir(output) or output.endswith(("/", os.sep))


def place(source: Input, output: str | None, into_folder: bool, stage: str) -> Path | None:
    """The file that a source's text belongs in; None is stdout. Without `-o` that is the one beside the source."""
    if output is None:
        return None if source.path == STDIN else Path(_renamed(Path(source.path), stage))
    if output == STDIN:
        return None
    return Path(output) / _renamed(source.place, stage) if into_folder else Path(output)


def _renamed(path: PurePath, stage: str) -> PurePath:
    return path.with_name(path.stem + SUFFIXES[stage])


def present(path: Path) -> str | None:
    """The text that a file holds, None where there is no file. Raises Refused where tl2hip did not write it."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise _foreign(path) from None
    except OSError as error:
        raise _unwritable(path, error) from None
    if text and WRITTEN not in text.partition("\n")[0]:
        raise _foreign(path)
    return text


def _foreign(path: Path) -> Refused:
    from tl2hip.source.problems.use import ForeignOutput

    return Refused(ForeignOutput(shown(path)))


def _unwritable(path: Path, error: OSError) -> Refused:
    from tl2hip.source.problems.use import Unwritable

    return Refused(Unwritable(shown(path), error.strerror or str(error)))


def shown(path: PurePath) -> str:
    """A path as it is told."""
    return path.as_posix()


def write(path: Path, text: str) -> bool:
    """Puts a text into a file and says whether that changed it. Raises Refused where it may not or cannot be.

    The text is written beside its place and moved there. A link is followed; a device is written to as it is.
    """
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            with open(path, "wb") as device:
                device.write(text.encode())
            return True
    except OSError as error:
        raise _unwritable(path, error) from None
    if present(path) == text:
        return False
    try:
        replace(path, text.encode())
    except OSError as error:
        raise _unwritable(path, error) from None
    return True


def replace(path: Path, data: bytes) -> None:
    """Gives a file other bytes in one step; a link is followed. Raises OSError, and then nothing has changed."""
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if path.exists():
            os.chmod(partial, stat.S_IMODE(path.stat().st_mode))
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def print_out(text: str) -> None:
    """Writes to stdout, in UTF-8 and with plain line ends whatever the machine prefers."""
    if sys.stdout is None:  # closed before Python began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    binary.write(text.encode("utf-8", "surrogateescape"))
