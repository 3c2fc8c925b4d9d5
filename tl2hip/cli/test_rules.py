"""`tl2hip test-rules`: the tests that every rule has for free."""

from __future__ import annotations

import argparse
from pathlib import Path

from tl2hip.cli import outputs, talk
from tl2hip.cli.exits import FINE, FOUND, misused, stop
from tl2hip.source.problems.base import Refused


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `test-rules`."""
    parser.add_argument("folder", metavar="DIR", help="a folder of rule files")
    parser.epilog = "Rule files are imported, and both sides of each rule are run on drawn data."


def run(args: argparse.Namespace) -> int:
    """Checks the rules of a folder; the exit code."""
    folder = Path(args.folder)
    if not folder.is_dir():
        raise misused(f"{args.folder} is no folder", "name a folder of rule files")
    from tl2hip.rule import check_rules

    talk.tell("tl2hip: test-rules imports and runs the rules")
    try:
        report = check_rules(None if _is_own(folder) else folder)
    except Refused as refused:
        raise stop(refused.problem) from None
    outputs.print_out(report.text + "\n")
    return FINE if report.ok else FOUND


def _is_own(folder: Path) -> bool:
    """Whether a folder is that of tl2hip's own rules, which are tested as they are."""
    from importlib.util import find_spec

    spec = find_spec("tl2hip.rules")
    own = spec.submodule_search_locations if spec else None
    return any(folder.resolve() == Path(place).resolve() for place in own or ())
