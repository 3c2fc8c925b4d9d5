"""`tl2hip explain`: where loops went and which rules fitted; or the page of a code."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from tl2hip.cli import outputs
from tl2hip.cli.arguments import add_choice
from tl2hip.cli.exits import FINE, misused, stop
from tl2hip.cli.inputs import Input
from tl2hip.cli.reading import each_file, files, wanted
from tl2hip.cli.work import Wanted
from tl2hip.source.problems.use import UnknownCode

if TYPE_CHECKING:
    from tl2hip.api import Conversion

_CODE = re.compile(r"(?i)\s*TL\d*\s*")


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `explain`."""
    parser.add_argument(
        "what", metavar="FILE|CODE", nargs="+", help="a Python file, a folder, or a code such as TL203"
    )
    add_choice(parser)


def run(args: argparse.Namespace) -> int:
    """Prints pages, or explains the kernels of files; the exit code."""
    codes = [one for one in args.what if _CODE.fullmatch(one) and not os.path.exists(one)]
    if codes and len(codes) < len(args.what):
        raise misused("files and codes cannot be explained together", "ask for one kind at a time")
    if codes:
        outputs.print_out("\n".join(_page(code) for code in codes))
        return FINE
    return each_file(files(args.what, args), wanted(args), _explain)


def _page(code: str) -> str:
    from tl2hip.source.problems import catalogue, lookup, page

    kind = lookup(code)
    if kind is None:
        raise stop(UnknownCode(code, ", ".join(_nearest(code, list(catalogue())))))
    return page(kind)


def _nearest(code: str, codes: list[str]) -> list[str]:
    """The codes of the nearest numbers."""
    digits = re.sub(r"\D", "", code)[:3]
    number = int(digits.ljust(3, "0")) if digits else 101
    return sorted(sorted(codes, key=lambda one: abs(int(one[2:]) - number))[:4])


def _explain(source: Input, done: Conversion, given: Wanted) -> int:
    from tl2hip.api import explained

    outputs.print_out("\n".join(explained(k, done.source, given.options) for k in done.kernels))
    return FINE
