"""`python -m tests.acceptance` says whether docs/acceptance.md is current; `--update` writes it."""

from __future__ import annotations

import argparse
import os
import sys

from tests.acceptance.table import PAGE, ROOT, page


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the page")
    update = parser.parse_args(arguments).update
    text = page()
    current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    if update and not current:
        PAGE.parent.mkdir(exist_ok=True)
        scratch = PAGE.with_name(f".{PAGE.name}.{os.getpid()}")
        scratch.write_text(text, encoding="utf-8", newline="\n")
        scratch.replace(PAGE)
    said = "unchanged" if current else "written" if update else "not current: run with --update"
    print(f"{PAGE.relative_to(ROOT)}: {said}")
    return 0 if current or update else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
