"""How a run may end: the exit codes, and the exception that ends one with a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.source.problems.base import Problem

FINE = 0
FOUND = 1
"""An output differs, a kernel was refused, or verify found something."""
USE = 2
"""Wrong use or configuration, or no compiler."""
INTERNAL = 3
"""A fault of tl2hip."""
INTERRUPTED = 130
BROKEN_PIPE = 141


class Stop(Exception):
    """Ends the run with an exit code and something to tell."""

    def __init__(self, told: str, code: int = USE) -> None:
        super().__init__(told)
        self.told = told
        self.code = code


def is_stdout(error: Exception) -> bool:
    """Whether an error is one of writing to stdout: no file name comes with it."""
    import errno

    lost = (errno.ENOSPC, errno.EIO, errno.EBADF)
    return isinstance(error, OSError) and error.filename is None and error.errno in lost


def tell(problem: Problem, name: str = "tl2hip") -> str:
    """A problem that stands in no file's text, as the user sees it; `name` is what it is about."""
    from tl2hip.source.problems.base import show
    from tl2hip.source.span import Source

    return show(problem, Source(name, ""))


def stop(problem: Problem, name: str = "tl2hip") -> Stop:
    """The exception that ends a run with a problem of use."""
    return Stop(tell(problem, name))


def misused(reason: str, instead: str) -> Stop:
    """The exception that ends a run whose arguments do not go together."""
    from tl2hip.source.problems.use import BadUse

    return stop(BadUse(reason, instead))
