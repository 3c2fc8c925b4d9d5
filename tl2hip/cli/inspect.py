"""`tl2hip inspect`: what is counted and modelled of each kernel, and what an expert would say of it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from tl2hip.cli import outputs, talk
from tl2hip.cli.arguments import add_choice, extent, pairs
from tl2hip.cli.exits import FINE, FOUND, Stop, misused
from tl2hip.cli.inputs import Input
from tl2hip.cli.reading import each_file, files, wanted
from tl2hip.cli.work import Wanted

if TYPE_CHECKING:
    from tl2hip.api import Conversion
    from tl2hip.plan.ir import Plan


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `inspect`."""
    parser.add_argument("paths", metavar="FILE", nargs="+", help="a Python file, or a folder of them")
    add_choice(parser)
    many: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
    at = "the sizes it is modelled at; after the files"
    parser.add_argument("--for", dest="sizes", metavar="M=512", type=extent, **many, help=at)
    parser.add_argument("--no-model", dest="model", action="store_false", help="no model of a compute unit")
    parser.add_argument("--accesses", action="store_true", help="every access of memory and LDS, by its line")
    parser.add_argument("--json", action="store_true", help="one JSON object a kernel, with all there is")
    parser.epilog = "Machine code and the emulated compute unit run on drawn data; your Python is not run."


def run(args: argparse.Namespace) -> int:
    """Prints the figures of every kernel; the exit code."""
    from tl2hip.prove.compiler import MissingCompiler
    from tl2hip.prove.emulate import UnsupportedHost

    sizes = pairs(args.sizes, "--for")

    def one(source: Input, done: Conversion, given: Wanted) -> int:
        return _inspect(source, done, sizes, args)

    try:
        return each_file(files(args.paths, args), wanted(args), one)
    except (MissingCompiler, UnsupportedHost) as error:
        raise Stop(f"tl2hip: nothing can be counted here: {error}") from None


def _inspect(source: Input, done: Conversion, sizes: dict[str, int], args: argparse.Namespace) -> int:
    from tl2hip.prove.compiled import compiled
    from tl2hip.prove.inspected import inspect
    from tl2hip.source.problems.base import show

    file = done.printed
    found = compiled(file.text, done.kernels[0].function.at)
    if found.problems:
        talk.tell("\n".join(show(p, done.source) for p in found.problems))
        return FOUND
    planned = [k.plan for k in done.kernels if k.plan and k.printed]
    for plan, launcher in zip(planned, file.launchers, strict=True):
        chosen = _sizes(plan, sizes) if sizes else None
        told = inspect(plan, file, launcher, found.counters, sizes=chosen, with_model=args.model)
        if args.json:
            outputs.print_out(json.dumps({"file": source.name, **told.data()}) + "\n")
        else:
            outputs.print_out(f"{source.name}: {chr(10).join(told.lines(args.accesses))}\n")
    return FINE


def _sizes(plan: Plan, given: dict[str, int]) -> dict[str, int]:
    """The sizes of `--for` as a kernel has them. Raises Stop where one is left out, unknown, or not admitted."""
    from tl2hip.prove.asserts import admitted

    names = list(plan.nest.dims)
    wrong = sorted({*given} ^ {*names})
    if wrong:
        has = ", ".join(names) or "none"
        told = f"--for gives {', '.join(given)}; the sizes of {plan.nest.name} are: {has}"
        raise misused(told, "give each of them")
    if not admitted(plan.nest, given):
        raise misused(f"{plan.nest.name} does not take the sizes of --for", "an assert of it says no")
    return {name: given[name] for name in names}
