"""Judgements on disk: one line each as they come, so that a search that ends early goes on where it was."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from tl2hip.tune.judge import Judged, judged_of
from tl2hip.tune.task import Task

CHECK = 12
"""Hexadecimal digits of a line's check."""


class NotKept(Exception):
    """A store cannot be read or written; the text says why."""


class Store:
    """The judgements of one kernel at some sizes, by the digest of the printed code.

    Each line is a check and a JSON object. One that does not fit its check (a write that was cut off, a disk that
    is full) is left out, counted in `damaged`, and judged again. Raises NotKept.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self.known: dict[str, Judged] = {}
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            lines = [b""]
        except OSError as error:
            raise NotKept(error) from None
        self.torn = bool(lines[-1])
        for line in filter(None, lines):
            found = _read(line)
            if found is None:
                self.damaged += 1
            else:
                self.known[found.code] = found

    def add(self, judged: Judged) -> None:
        """Keeps a judgement; it is on disk when this returns. Raises NotKept."""
        self.known[judged.code] = judged
        text = json.dumps(judged.data())
        line = f"{_check(text)} {text}\n".encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab", buffering=0) as file:
                file.write(b"\n" + line if self.torn else line)
        except OSError as error:
            raise NotKept(error) from None
        self.torn = False


def _read(line: bytes) -> Judged | None:
    """A judgement out of its line; None where the line is damaged."""
    try:
        check, _, text = line.decode().partition(" ")
        return judged_of(json.loads(text)) if check == _check(text) else None
    except (ValueError, KeyError, TypeError):
        return None


def _check(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:CHECK]


def store_of(task: Task) -> Store:
    """The store of a search, in the cache folder. Judgements of another compiler, or made by other sources of this
    package, are of another store. Raises MissingCompiler."""
    from tl2hip.prove.compiler import compiler

    made_by = sources(Path(__file__).parent.parent), compiler().identity
    parts: list[Any] = [*made_by, task.kernel, sorted(task.sizes), sorted(task.sets)]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
    return Store(folder() / f"{digest}.jsonl")


def folder() -> Path:
    """Where stores are kept."""
    from tl2hip.prove.compiler import cache_folder, usable_folder

    return usable_folder(cache_folder()) / "tune"


def lost_folder() -> Path | None:
    """The cache folder where it cannot be written, so that stores last as long as this process; else None."""
    from tl2hip.prove.compiler import cache_folder, usable_folder

    wanted = cache_folder()
    return None if usable_folder(wanted) == wanted else wanted


@lru_cache(maxsize=1)
def sources(package: Path) -> str:
    """A digest of what a judgement is made by. That is most of the package: besides the executor and the model the
    numbers of the target, what a plan is blamed for, and how data are drawn and launchers called."""
    sha = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".cpp", ".h"):
            sha.update(path.read_bytes())
    return sha.hexdigest()
