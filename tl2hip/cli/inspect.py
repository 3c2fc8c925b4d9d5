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
    from tl2hip.hip.launcher import LauncherInfo
    from tl2hip.plan.ir import Plan
    from tl2hip.prove.modelled import Modelled


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `inspect`."""
    parser.add_argument("paths", metavar="FILE", nargs="+", help="a Python file, or a folder of them")
    add_choice(parser)
    parser.add_argument("--model", action="store_true", help="also what a model of a compute unit says")
    parser.add_argument("--json", action="store_true", help="one JSON object a kernel")
    parser.epilog = "The run on the emulated compute unit takes drawn data; your Python is not run."


def run(args: argparse.Namespace) -> int:
    """Prints the figures of every kernel; the exit code."""
    from tl2hip.prove.compiler import MissingCompiler
    from tl2hip.prove.emulate import UnsupportedHost

    def one(source: Input, done: Conversion, given: Wanted) -> int:
        return _inspect(source, done, args.json, args.model)

    try:
        return each_file(files(args.paths, args), wanted(args), one)
    except (MissingCompiler, UnsupportedHost) as error:
        raise Stop(f"tl2hip: nothing can be counted here: {error}") from None


def _inspect(source: Input, done: Conversion, as_json: bool, with_model: bool) -> int:
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
        model = _modelled(plan, file.text, launcher) if with_model else None
        if as_json:
            more = {} if model is None else {"model": model.data()}
            outputs.print_out(json.dumps({"file": source.name, **counted.data(), **more}) + "\n")
        else:
            told = [f"{source.name}: ", *counted.lines(), *(model.lines() if model else ())]
            outputs.print_out("\n".join(told).replace(": \n", ": ", 1) + "\n")
    return FINE


def _modelled(plan: Plan, text: str, launcher: LauncherInfo) -> Modelled:
    """What the model says of a function's kernels. Raises Stop where they cannot be modelled."""
    from tl2hip.prove.machine.program import NotUnderstood
    from tl2hip.prove.modelled import model_of

    try:
        return model_of(plan.nest, text, launcher)
    except (NotUnderstood, ValueError) as error:
        raise Stop(f"tl2hip: {plan.nest.name} cannot be modelled: {error}") from None
