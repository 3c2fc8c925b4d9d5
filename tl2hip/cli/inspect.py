"""`tl2hip inspect`: what the compiler and the emulated compute unit count of each kernel."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from tl2hip.cli import outputs, talk
from tl2hip.cli.arguments import add_choice
from tl2hip.cli.exits import FINE, FOUND, Stop
from tl2hip.cli.inputs import Input
from tl2hip.cli.reading import each_file, files, wanted
from tl2hip.cli.work import Wanted

if TYPE_CHECKING:
    from tl2hip.api import Conversion


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `inspect`."""
    parser.add_argument("paths", metavar="FILE", nargs="+", help="a Python file, or a folder of them")
    add_choice(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a kernel")
    parser.epilog = "The run on the emulated compute unit takes drawn data; your Python is not run."


def run(args: argparse.Namespace) -> int:
    """Prints the figures of every kernel; the exit code."""
    from tl2hip.prove.compiler import MissingCompiler
    from tl2hip.prove.emulate import UnsupportedHost

    def one(source: Input, done: Conversion, given: Wanted) -> int:
        return _inspect(source, done, args.json)

    try:
        return each_file(files(args.paths, args), wanted(args), one)
    except (MissingCompiler, UnsupportedHost) as error:
        raise Stop(f"tl2hip: nothing can be counted here: {error}") from None


def _inspect(source: Input, done: Conversion, as_json: bool) -> int:
    from tl2hip.prove.compiled import compiled
    from tl2hip.prove.counted import count
    from tl2hip.source.problems.base import show

    file = done.printed
    found = compiled(file.text, done.kernels[0].function.at)
    if found.problems:
        talk.tell("\n".join(show(p, done.source) for p in found.problems))
        return FOUND
    planned = [k.plan for k in done.kernels if k.plan and k.printed]
    for plan, launcher in zip(planned, file.launchers, strict=True):
        counted = count(plan, file.text, launcher, found.counters)
        if as_json:
            outputs.print_out(json.dumps({"file": source.name, **counted.data()}) + "\n")
        else:
            outputs.print_out("\n".join([f"{source.name}: ", *counted.lines()]).replace(": \n", ": ", 1) + "\n")
    return FINE
