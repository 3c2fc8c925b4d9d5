"""The commands and their options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, TypeVar

from tl2hip.cli.exits import FINE, Stop, misused

Value = TypeVar("Value")

COMMANDS = {
    "emit": "print the HIP text of kernels",
    "verify": "prove printed kernels equal to their Python; runs your Python",
    "inspect": "a table of each compiled kernel, and what an expert would say of it",
    "tune": "which marks make kernels best, by a model; writes them into the file",
    "explain": "where each loop went and why; or the page of a code",
    "test-rules": "check the rules of a folder; imports them",
    "doctor": "which compilers are there, and what can be proven here",
}
"""Every command and its line in the help; each lives in the module of its name, imported when it is run."""

EPILOG = """\
exit codes: 0 all is well; 1 an output differs, a kernel was refused or verify found something;
2 wrong use or no compiler; 3 a fault of tl2hip
"""


class Parser(argparse.ArgumentParser):
    """Tells wrong use in the form of every other problem."""

    def error(self, message: str) -> NoReturn:
        raise misused(message.replace("\n", " "), f"see `{self.prog} --help`")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command; `run` holds the function to call with them. Raises Stop for wrong use."""
    name = next((word for word in argv if not word.startswith("-")), "")
    parser = _parser()
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", prog="tl2hip")
    for command, line in COMMANDS.items():
        one = commands.add_parser(command, help=line, description=f"tl2hip {command}: {line}.", **_STYLE)
        if command == name:
            module = import_module(f"tl2hip.cli.{command.replace('-', '_')}")
            module.add(one)
            one.set_defaults(run=module.run)
    if not argv:
        raise Stop(parser.format_help().rstrip())
    args = parser.parse_args(argv)
    args.argv = tuple(argv)
    if args.version:
        print(_version())
        args.run = lambda _: FINE
    elif "run" not in args:
        parser.error("no command")
    return args


_STYLE: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}


def _parser() -> Parser:
    parser = Parser(
        prog="tl2hip",
        description="Plain Python loops in, readable and proven HIP C++ for AMD gfx942 out.",
        epilog=EPILOG,
        **_STYLE,
    )
    parser.add_argument("--version", action="store_true", help="print the versions and the target, and leave")
    return parser


def _version() -> str:
    from tl2hip.cli.internal import versions

    return f"{versions()}; target gfx942"


def setting(text: str) -> tuple[str, int]:
    """`NAME=NUMBER` as a pair."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip().isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER")
    try:
        return name.strip(), int(value, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} in {text!r} is no whole number") from None


def extent(text: str) -> tuple[str, int]:
    """`NAME=NUMBER` as a pair, of a size that an array may have."""
    name, size = setting(text)
    if not 0 <= size < 1 << 63:
        raise argparse.ArgumentTypeError(f"{size} in {text!r} is no size from 0 up, within 64 bits")
    return name, size


def signature(text: str) -> tuple[str, str]:
    """`f(x=f32[N])` as the function's name and the types."""
    name, opened, rest = text.strip().partition("(")
    if not (name.strip().isidentifier() and opened and rest.rstrip().endswith(")")):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME(x=f32[N], …)")
    return name.strip(), rest.rstrip()[:-1]


def count(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def seconds(text: str) -> float:
    """A time above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return value


def add_choice(parser: argparse.ArgumentParser) -> None:
    """The options that choose kernels and fix their sizes, as several commands have them."""
    group = parser.add_argument_group("which kernels, and what is fixed")
    many: dict[str, Any] = {"action": "append", "default": []}
    group.add_argument("--kernel", metavar="NAME", **many, help="only this function; repeatable")
    group.add_argument("--all", action="store_true", help="every function at file level, marked or not")
    group.add_argument("--set", metavar="M=1024", type=setting, **many, help="fix an extent; repeatable")
    group.add_argument("--tile", metavar="i=256", type=setting, **many, help="fix a tile size; repeatable")
    typed = "the types of a function that says none; repeatable"
    group.add_argument("--types", metavar="'f(x=f32[N])'", type=signature, **many, help=typed)
    group.add_argument("--rules", metavar="DIR", **many, help="a folder of more rules; repeatable")
    group = parser.add_argument_group("which files of a folder, by patterns as in a .gitignore")
    group.add_argument("--include", metavar="PATTERN", **many, help="only files like this; repeatable")
    group.add_argument("--exclude", metavar="PATTERN", **many, help="no files like this; repeatable")


def pairs(given: Sequence[tuple[str, Value]], option: str) -> dict[str, Value]:
    """What `--set`, `--tile` or `--types` said, by name. Raises Stop where one name has two values."""
    found: dict[str, Value] = {}
    for name, value in given:
        if found.setdefault(name, value) != value:
            raise misused(
                f"{option} gives {name} the values {found[name]} and {value}", f"give {option} {name} once"
            )
    return found


def coloured(stream: Any = None) -> bool:
    """Whether a stream (stderr) takes colour: a terminal, and NO_COLOR does not say no."""
    import os

    stream = stream or sys.stderr
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
