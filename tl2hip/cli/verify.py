"""`tl2hip verify`: printed kernels proven equal to their Python, as far as can be without a GPU."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl2hip.cli import outputs, talk
from tl2hip.cli.arguments import add_choice, count, seconds
from tl2hip.cli.exits import FINE, FOUND, Stop, misused, stop
from tl2hip.cli.inputs import STDIN, Input
from tl2hip.cli.reading import each_file, files, wanted
from tl2hip.cli.work import Wanted, read_input
from tl2hip.source.problems.base import Refused, show
from tl2hip.source.problems.use import CannotImport
from tl2hip.source.span import NOWHERE, Span

if TYPE_CHECKING:
    from tl2hip.api import Conversion


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `verify`."""
    parser.add_argument("paths", metavar="FILE|DIR", nargs="+", help="a Python file, or a folder of them")
    add_choice(parser)
    parser.add_argument("--shapes", type=count, default=12, metavar="N", help="how many shapes to draw (12)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draw other shapes and data (0)")
    parser.add_argument("--seconds", type=seconds, default=60.0, metavar="S", help="time for each kernel (60)")
    parser.add_argument("--machine", action="store_true", help="run the compiler's gfx942 machine code as well")
    parser.add_argument("--hip", metavar="FILE", help="prove this text instead of the one tl2hip prints now")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one object a kernel")
    parser.epilog = (
        "verify imports the files, so it runs what stands in them; no other command but test-rules does."
    )


def run(args: argparse.Namespace) -> int:
    """Proves every kernel; the exit code."""
    from tl2hip.prove.compiler import MissingCompiler
    from tl2hip.prove.emulate import UnsupportedHost

    if STDIN in args.paths:
        raise misused("verify runs the Python of a file", "give the file by its name")
    talk.tell("tl2hip: verify runs your Python, to compare with it")
    proven: list[bool] = []

    def one(source: Input, done: Conversion, given: Wanted) -> int:
        return _verify(source, done, given, args, proven)

    try:
        code = each_file(files(args.paths, args), wanted(args), one)
    except (MissingCompiler, UnsupportedHost) as error:
        raise Stop(f"tl2hip: nothing can be proven here: {error}") from None
    talk.tell(f"tl2hip: {sum(proven)} of {len(proven)} kernels that were tried are good")
    return code


def _verify(source: Input, done: Conversion, given: Wanted, args: argparse.Namespace, proven: list[bool]) -> int:
    """Proves one file's kernels; the exit code."""
    from tl2hip.api import verify_all

    done, given = _runnable(done, given)
    try:
        text = _given(args.hip, source)
        functions = _functions(source, done, given)
    except Refused as refused:
        talk.tell(show(refused.problem, done.source))
        return FOUND
    code, began = FINE, time.monotonic()
    how: dict[str, Any] = {"shapes": args.shapes, "seed": args.seed, "seconds": args.seconds}
    how["machine"] = args.machine
    for report in verify_all(done, functions, text=text, **how):
        proven.append(report.good)
        code = code if report.good else FOUND
        if args.format == "json":
            outputs.print_out(json.dumps({"file": source.name, **report.to_dict()}) + "\n")
        else:
            taken = f"  {time.monotonic() - began:.1f} s\n"
            outputs.print_out(f"{source.name}: {report.text}\n{_resources(done, report.name, text)}{taken}")
    return code


def _given(hip: str | None, source: Input) -> str:
    """The text of `--hip`, empty without it. Raises Stop where it cannot be read."""
    if hip is None:
        return ""
    try:
        return read_input(Input(hip, hip, source.place, True)).text
    except Refused as refused:
        raise stop(refused.problem, hip) from None


def _runnable(done: Conversion, wanted: Wanted) -> tuple[Conversion, Wanted]:
    """The file with smaller sizes in the place of those that it fixes and that are too large to run."""
    from tl2hip.api import convert
    from tl2hip.prove.smaller import smaller

    less: dict[str, int] = {}
    for kernel in done.kernels:
        less |= smaller(kernel.function, done.module, wanted.sets)
    if not less or len(done.kernels) != 1:
        return done, wanted
    told = ", ".join(f"{name}={value}" for name, value in less.items())
    talk.tell(f"{done.source.name}: the sizes in the file take too long to run; proven with {told} instead")
    wanted = replace(wanted, sets={**wanted.sets, **less})
    return convert(done.source, wanted.options, wanted=wanted.kernels, every=wanted.every), wanted


def _resources(done: Conversion, name: str, text: str) -> str:
    """A line for each compiled kernel of a function."""
    from tl2hip.prove.compiled import compiled, line

    plan = next(k.plan for k in done.kernels if k.name == name)
    assert plan is not None
    of_plan = {k.name for k in plan.kernels}
    found = compiled(text or done.text, plan.nest.at).counters
    return "".join(f"  gfx942: {line(c)}\n" for c in found if c.name in of_plan)


def _functions(source: Input, done: Conversion, wanted: Wanted) -> dict[str, Callable[..., Any]]:
    """The user's functions by name; Refused where the file does not run."""
    from tl2hip.prove.python import PythonFails, function, run_file

    try:
        module = run_file(Path(source.path))
        return {k.name: function(module, k.name, wanted.sets) for k in done.kernels}
    except PythonFails as fails:
        at = Span(fails.line, 0, fails.line, 1) if fails.line else NOWHERE
        raise Refused(CannotImport(str(fails), at=at)) from None
