"""`tl2hip doctor`: which compilers are there, and what can be proven on this machine."""

from __future__ import annotations

import argparse
import json

from tl2hip.cli import outputs
from tl2hip.cli.exits import FINE, USE


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `doctor`."""
    parser.add_argument("--json", action="store_true", help="one JSON object a fact")
    parser.epilog = "Printing HIP needs no compiler; proving it does."


def run(args: argparse.Namespace) -> int:
    """Prints the facts; the exit code says whether everything can be proven here."""
    from tl2hip.cli.internal import versions
    from tl2hip.prove.doctor import Fact, report

    facts = [Fact("versions", True, versions()), *report()]
    for fact in facts:
        if args.json:
            found = {"about": fact.about, "good": fact.good, "text": fact.text}
            outputs.print_out(json.dumps(found) + "\n")
        else:
            outputs.print_out(f"{'ok  ' if fact.good else 'NOT '} {fact.about}: {fact.text}\n")
    return FINE if all(fact.good for fact in facts) else USE
