"""The command line: `tl2hip COMMAND …`. Output goes to stdout, talk to stderr.

Exit codes: 0 all is well; 1 an output differs, a kernel was refused, or verify found something; 2 wrong use,
or no compiler; 3 a fault of tl2hip. A run that is interrupted exits with 130, one whose reader left with 141.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext

from tl2hip.cli.exits import BROKEN_PIPE, INTERRUPTED, USE, Stop, is_stdout
from tl2hip.source.depth import deep

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code; `argv` is without the program's name."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(given)
        if sys.stdout is not None:  # it was not closed before Python began
            sys.stdout.flush()
        return code
    except Stop as stop:
        sys.stderr.write(stop.told + "\n")
        return stop.code
    except BrokenPipeError:
        return _leave_quietly()
    except KeyboardInterrupt:
        sys.stderr.write("tl2hip: interrupted\n")
        return INTERRUPTED
    except Exception as error:  # a fault of ours: told in a few lines, never as a traceback
        if isinstance(error, OSError) and is_stdout(error):
            sys.stderr.write(f"tl2hip: stdout cannot be written: {error.strerror}\n")
            _leave_quietly()
            return USE
        from tl2hip.cli.internal import INTERNAL, block

        sys.stderr.write(block(error, given))
        return INTERNAL


def _run(given: list[str]) -> int:
    from tl2hip.cli.quick import quick_dataclasses

    # Commands that run the user's code leave the standard library as it is.
    with quick_dataclasses() if given[:1] == ["emit"] else nullcontext(), deep():
        from tl2hip.cli.arguments import parse

        args = parse(given)
        code: int = args.run(args)
    return code


def _leave_quietly() -> int:
    """Nobody reads stdout any more: what is still buffered goes nowhere, so that the exit says nothing either."""
    import os

    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):  # stdout is no file, or none at all
        return BROKEN_PIPE
    return BROKEN_PIPE
