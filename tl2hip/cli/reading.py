"""Files converted one by one for a command that goes on with their plans."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tl2hip.cli import talk
from tl2hip.cli.arguments import pairs
from tl2hip.cli.exits import FINE, FOUND, INTERNAL, USE, Stop, is_stdout, misused, stop
from tl2hip.cli.exits import tell as tell_problem
from tl2hip.cli.inputs import STDIN, Files, Input
from tl2hip.cli.work import Wanted, read_input
from tl2hip.source.problems.base import Refused

if TYPE_CHECKING:
    from tl2hip.api import Conversion
    from tl2hip.cli.ignore import Pattern


_PASSED = ("MissingCompiler", "UnsupportedHost", "BrokenPipeError", "Stop")
"""The exceptions, by name since most are never imported, that end the whole run."""


def wanted(args: argparse.Namespace) -> Wanted:
    """What the options that several commands have ask for. Raises Stop where they cannot be used."""
    from pathlib import Path

    for folder in args.rules:
        if not Path(folder).is_dir():
            raise misused(f"--rules {folder} is no folder", "name a folder of rule files")
    if args.rules:
        from tl2hip.rule import BadRules, load_rules

        try:
            load_rules(Path(f) for f in args.rules)
        except BadRules as bad:
            raise Stop(str(bad)) from None
    sets, tiles, types = pairs(args.set, "--set"), pairs(args.tile, "--tile"), pairs(args.types, "--types")
    kernels = tuple(dict.fromkeys((*args.kernel, *types)))
    return Wanted(sets, tiles, tuple(args.rules), types, kernels, args.all, argv=args.argv)


def files(paths: Sequence[str], args: argparse.Namespace) -> Files:
    """The files that a command takes. Raises Stop for a pattern that cannot be meant."""
    return Files(paths, _patterns(args.include, "--include"), _patterns(args.exclude, "--exclude"))


def _patterns(texts: Sequence[str], option: str) -> tuple[Pattern, ...]:
    from tl2hip.cli.ignore import pattern

    found = []
    for text in texts:
        one = pattern(text)
        if one is None or one.keeps:
            way = "write it as a line of a .gitignore that leaves files out, as in 'tests/' or '*_old.py'"
            raise misused(f"{option} {text!r} matches no file", way)
        found.append(one)
    return tuple(found)


def no_kernel(paths: Sequence[str]) -> Stop:
    """The exception that ends a run that found nothing to do: it says where a file that was named is no Python, or
    how a function of lists becomes a kernel."""
    from tl2hip.source.problems.base import show
    from tl2hip.source.problems.use import NoKernel
    from tl2hip.source.scan import parse
    from tl2hip.source.unmarked import way_to_mark

    for named in Files(paths):
        if named.named and named.path != STDIN:
            source = read_input(named)
            try:
                parse(source)
            except Refused as refused:
                return Stop(show(refused.problem, source), FOUND)
            way = way_to_mark(source.text)
            if way is not None:
                return stop(NoKernel(way), ", ".join(paths))
    return stop(NoKernel(), ", ".join(paths))


def tell_missing(missing: Sequence[str], found: Collection[str]) -> None:
    """Tells the names that `--kernel` asked for and no file has."""
    from tl2hip.source.problems.use import NoSuchFunction

    known = f"found were: {', '.join(sorted(found))}" if found else "look at the names in the file"
    for name in missing:
        talk.tell(tell_problem(NoSuchFunction(name, known)))


def each_file(files: Files, given: Wanted, go_on: Callable[[Input, Conversion, Wanted], int]) -> int:
    """Converts each file, tells its problems, and hands it on with the kernels that were printed; the exit code.

    MissingCompiler and UnsupportedHost go through; any other fault is told, and the next file is taken.
    """
    code, found = FINE, set[str]()
    for source in files:
        try:
            one, names = _file(source, given, go_on)
        except Exception as error:  # one bad file never stops the others
            if type(error).__name__ in _PASSED or is_stdout(error):
                raise
            from tl2hip.cli.internal import block

            talk.tell(block(error, given.argv, source.name).rstrip())
            one, names = INTERNAL, set()
        code, found = max(code, one), found | names
    missing = [name for name in given.kernels if name not in found]
    if missing and code in (FINE, FOUND):
        tell_missing(missing, found)
        return USE
    if not found and code == FINE:
        raise no_kernel(files.paths)
    return code


def _file(source: Input, given: Wanted, go_on: Callable[[Input, Conversion, Wanted], int]) -> tuple[int, set[str]]:
    """One file: the exit code, and the names of its kernels."""
    from tl2hip.api import convert

    try:
        done = convert(read_input(source), given.options, wanted=given.kernels, every=given.every)
    except Refused as refused:
        talk.tell(tell_problem(refused.problem, source.name))
        return (USE if source.named else FOUND), set()
    if done.told:
        talk.tell(done.told)
    names = {k.name for k in done.kernels}
    good = tuple(k for k in done.kernels if k.printed)
    code = go_on(source, replace(done, kernels=good), given) if good else FINE
    return (max(code, FOUND) if done.errors else code), names
